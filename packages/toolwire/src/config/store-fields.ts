/** The settings of the store. */
import type { StoreConfig } from './config.ts'
import type { FieldsOf, TextRule } from './rule.ts'
import { choice, whole } from './rule.ts'

/** An address such as `redis://…` would else be taken for the name of a file. A drive of Windows has one letter. */
export const storePathRule: TextRule = {
  kind: 'text',
  pattern: /^(?:[^A-Za-z][\s\S]*|[A-Za-z]:[\s\S]*|[A-Za-z][A-Za-z0-9+.-]*(?:[^A-Za-z0-9+.:-][\s\S]*)?)$/,
  expects: 'the path of a file; the address of a server is "url"',
}

const storeUrlRule: TextRule = {
  kind: 'text',
  pattern: /^(?:rediss?|valkeys?|postgres|postgresql):\/\/[^\s]+$/,
  expects: 'an address such as redis://host:6379 or postgres://user@host/database',
}

export const storeFields: FieldsOf<StoreConfig> = {
  kind: {
    rule: choice(['sqlite', 'memory', 'none', 'redis', 'postgres'], {
      file: 'Files are "sqlite".',
      valkey: 'Valkey is "redis".',
      postgresql: 'It is called "postgres".',
    }),
    default: 'sqlite',
    about:
      'A file that outlives the process, memory that does not, nothing kept, or a server that several gateways share.',
  },
  path: {
    rule: storePathRule,
    about: "The file of the sqlite store. By default in the user's folder for state.",
  },
  url: {
    rule: storeUrlRule,
    secret: true,
    about:
      'The server of a shared store. By default REDIS_URL for the kind "redis", DATABASE_URL for the kind "postgres".',
  },
  ttlDays: {
    rule: { kind: 'number', min: 0.001, max: 36_500, fractions: true },
    default: 30,
    about: 'How many days a stored response lives.',
  },
  maxBytes: { rule: whole(1024), about: 'How much the store may hold; the oldest goes first.' },
  maxRecords: { rule: whole(1), about: 'How many responses and conversations the store may hold.' },
  durability: {
    rule: choice(['normal', 'full']),
    default: 'normal',
    about:
      'Of the sqlite store: "normal" loses nothing in a crash and at most the last writes in a power cut; "full" loses nothing in either, with a disk flush for each write.',
  },
}

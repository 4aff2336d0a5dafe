/**
 * Which tests run together under one name. Whatever no pattern names belongs to `fast`, the tests one runs while
 * working; the projects below need a process, many sockets, a browser, an installation, or long property runs. They
 * run in this order, and `fast` after them, so that no long file is left to run alone.
 */
export const slowProjects: { readonly [name: string]: readonly string[] } = {
  extension: ['test/{extension,inspector}/**/*.test.ts'],
  gateway: [
    'test/gateway/{attacks,faults,responses,soak,sockets,workers}/**/*.test.ts',
    'test/{crash,scale,server-tools,simulation,store}/**/*.test.ts',
    'packages/toolwire/src/cli/cluster/workers.test.ts',
    'packages/toolwire/src/cli/serve/{inspector,mcp,process,serve}.test.ts',
    'packages/toolwire/src/cli/lint/sources/mcp-source.test.ts',
    'packages/toolwire/src/mcp/{http,process-transport,shutdown,stdio}.test.ts',
    'packages/toolwire/src/store/sqlite-{at-rest,store}.test.ts',
  ],
  laws: [
    'test/laws/**/*.test.ts',
    'test/house/linear*.test.ts',
    'packages/*/src/**/{laws,*-laws,hostile,long-lists}.test.ts',
    'packages/core/src/convert/stream/escaped-deltas.test.ts',
    'packages/core/src/lint/time.test.ts',
    'packages/core/src/schema/pattern/pattern.test.ts',
    'packages/core/src/schema/strict/strictify-{bounds,sound}.test.ts',
    'packages/core/src/testing/sample/sample.test.ts',
    'packages/core/src/tokens/trim-history.test.ts',
  ],
  packed: ['test/house/{guides,packed,readme}.test.ts', 'test/examples/**/*.test.ts'],
  agents: ['test/agents/**/*.test.ts'],
  clients: [
    'test/{clients,conversation,referees}/**/*.test.ts',
    'test/gateway/clients/**/*.test.ts',
    'test/house/vendor-types.test.ts',
  ],
}

export const allTests: readonly string[] = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']

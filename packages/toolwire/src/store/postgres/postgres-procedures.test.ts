import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openPostgresStore } from './open-postgres-store.ts'

/** What opening a store gives where a server refuses each connection. */
async function refusedWith(code: string, message: string): Promise<unknown> {
  const fields = `SFATAL\0C${code}\0M${message}\0\0`
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + fields.length, 1)
  const answer = Buffer.concat([head, Buffer.from(fields)])
  const server = createServer(socket => socket.once('data', () => socket.end(answer)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const url = `postgres://ann:secret@127.0.0.1:${port}/toolwire`
  const error: unknown = await openPostgresStore({ url }).catch(reason => reason)
  server.close()
  expect(String(error)).toContain(`postgres://127.0.0.1:${port}/toolwire`)
  expect(String(error)).not.toContain('secret')
  return error
}

test('A pooler in place of Postgres is told from a server that is away, with the remedy.', async () => {
  // As PgBouncer says it.
  const error = await refusedWith('08P01', 'unsupported startup parameter: statement_timeout')
  // Nobody waits for it to come back.
  expect(error).toMatchObject({ code: 'no_access' })
  expect(String(error)).toContain('Give the address of Postgres itself')
})

test('Where Postgres has too few connections, the setting of the server is named, and how many it takes.', async () => {
  const error = await refusedWith('53300', 'sorry, too many clients already')
  expect(error).toMatchObject({ code: 'busy' })
  expect(String(error)).toMatch(/Raise its max_connections: each gateway, and each worker process .* eight/)
})

test('A schema that somebody dropped is told from a server that does not answer.', async () => {
  const error = await refusedWith('3F000', 'schema "toolwire" does not exist')
  expect(error).toMatchObject({ code: 'unavailable', reason: expect.stringContaining('Restart a gateway') })
})

test('A server that lets nobody in without TLS is told from a wrong password.', async () => {
  const said = 'no pg_hba.conf entry for host "10.0.0.1", user "ann", database "toolwire", no encryption'
  expect(await refusedWith('28000', said)).toMatchObject({
    code: 'no_access',
    message: expect.stringContaining('sslmode'),
  })
  expect(String(await refusedWith('28P01', 'password authentication failed'))).toContain('Check user and')
})

test('Nobody waits for TLS that the server does not have.', async () => {
  // What Postgres says to a request for TLS.
  const server = createServer(socket => socket.once('data', () => socket.write('N')))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `postgres://ann@127.0.0.1:${port}/toolwire?sslmode=verify-full`
  const error: unknown = await openPostgresStore({ url }).catch(reason => reason)
  server.close()
  expect(error).toMatchObject({ code: 'no_access', message: expect.stringContaining('sslmode') })
})

test('A certificate that is not trusted is no reason to wait, and the variable that trusts it is named.', async () => {
  expect(await refusedWith('', 'unable to verify the first certificate')).toMatchObject({
    code: 'no_access',
    message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
})

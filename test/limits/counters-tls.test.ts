import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { issue } from '../egress/certificates.ts'
import { ADMIN_KEY, type Json, KEY, newFolder, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { startProcess } from '../process.ts'
import { startValkey } from '../valkey.ts'

const PASSWORD = 'a-password-of-its-own'
/** What docs/operating.md grants a separate user. */
const RULES = 'on ~{switchyard}:* +@all -@admin -@dangerous +info'

const folder = newFolder()
issue(folder, ['localhost'])
const postgres = await startPostgres()
const valkey = await startValkey({ tls: { cert: join(folder, 'server.pem'), key: join(folder, 'server.key') } })
await valkey.order(`ACL SETUSER gateway ${RULES} >${PASSWORD}`)
await valkey.order('ACL SETUSER default off')
after(async () => {
  await valkey.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start(login: string, environment: Record<string, string>) {
  const started = startProcess({
    folder: newFolder(),
    environment: {
      DATABASE_URL: await postgres.createDatabase(),
      REDIS_URL: `rediss://${login}@localhost:${valkey.tlsPort}`,
      SECRETS_KEY: 'sixteen-characters-and-more',
      GATEWAY_KEY: KEY,
      ADMIN_KEY,
      ...environment,
    },
  })
  const url = await started.url()
  const limits = async () => ((await (await fetch(`${url}/readyz`)).json()) as Json).limits
  return { started, limits }
}

test('counters are reached over TLS by a certificate of our own, as a user with few rights', async () => {
  const { started, limits } = await start(`gateway:${PASSWORD}`, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })
  await until(async () => (await limits()).up, 'the counters are there')
  await started.stop()
})

for (const [what, login, environment, problem] of [
  ['an unknown authority', `gateway:${PASSWORD}`, {}, /certificate/],
  ['a wrong password', 'gateway:wrong-password', { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }, /WRONGPASS/],
] as const) {
  test(`${what} is told, and the password is not`, async () => {
    const { started, limits } = await start(login, environment)
    await until(async () => problem.test((await limits()).problem), 'it is told')
    assert.equal((await limits()).up, false)
    await started.stop()
    assert.doesNotMatch(started.stderr() + started.stdout(), /password-of-its-own|wrong-password/)
  })
}

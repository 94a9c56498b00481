import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { atLength } from '../../../test/at-length.ts'
import { fc } from '../../../test/property.ts'
import { kindsOf } from '../../../test/provider-kinds.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { contentProblem } from '../../content/settings-problem.ts'
import { type FileConfig, FileConfigSchema } from '../../domain/file-config.ts'
import type { Provider } from '../../domain/provider.ts'
import { ensureEnvironmentProviders } from '../control/providers.ts'
import { readBuiltinRegistry, seedRegistry } from '../control/seed-registry.ts'
import { readControlRows } from '../control/snapshot.ts'
import { applyConfig, planConfig } from './apply-config.ts'
import { readAlertRows } from './config-alerts.ts'
import { readCallers } from './config-callers.ts'
import { exportConfig } from './export-config.ts'

const stores = await testStores()
const builtin = readBuiltinRegistry()
const [shipped] = builtin.models
const ENVIRONMENT: Provider[] = [
  { name: 'builtin', family: 'some', baseUrl: null, apiKey: 'sk-environment', headers: {}, onCallerLeft: 'abort' },
  { name: 'other', family: 'some', baseUrl: null, apiKey: null, headers: {}, onCallerLeft: 'abort' },
]
const ACTOR = { id: 'config', name: 'a file' }

const name = fc.constantFrom('a', 'b', 'c')
const some = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { maxKeys: 3 })
const price = fc.option(fc.constantFrom('0', '1.5', '1.50', '20'), { nil: null })
const provider = fc.record(
  {
    family: fc.constant('some'),
    base_url: fc.constantFrom('http://127.0.0.1:1/v1', 'http://127.0.0.1:2'),
    api_key: fc.constantFrom('sk-one', 'sk-two'),
    headers: some(fc.constantFrom('1', '2')),
    on_caller_left: fc.constantFrom('abort', 'drain'),
    on_estimate: fc.constantFrom('estimate', 'hold'),
    speaks: fc.constantFrom([], ['responses']),
    passthrough: fc.constantFrom([], ['/v1/files/*']),
    preset: fc.constantFrom('one', 'two'),
    settings: fc.constantFrom({}, { region: 'north' }, { region: 'costs ${MONEY}', list: ['a'], nested: { b: 1 } }),
    credentials: fc.constantFrom({ id: 'sk-one' }, { id: 'sk-two', secret: 'sk-one' }),
    proxy: fc.constantFrom('', 'http://127.0.0.1:3128', 'http://user:sk-one@127.0.0.1:3128'),
    ca: fc.constantFrom(...rootCertificates.slice(0, 2)),
  },
  { requiredKeys: ['family', 'base_url'] },
)
const entry = fc.record(
  { provider: fc.constantFrom('builtin', 'other'), model: name, idle_timeout_ms: fc.constantFrom(1, 2) },
  { requiredKeys: ['provider', 'model'] },
)
const route = fc.record(
  {
    description: fc.constantFrom('', 'quick', 'costs ${MONEY}'),
    chain: fc.array(entry, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['chain'] },
)
const key = fc.record(
  {
    expires_at: fc.constantFrom('2030-01-01T00:00:00Z', '2031-01-01T00:00:00+01:00'),
    paused: fc.boolean(),
    allowed_models: fc.constantFrom(['fast'], ['a', 'b*']),
    limits: fc.record({ rpm: fc.integer({ min: 1, max: 9 }) }),
  },
  { requiredKeys: [] },
)
const model = fc.record(
  {
    provider: fc.constant(shipped?.facts.provider ?? ''),
    model: fc.constantFrom('a', 'b', shipped?.facts.model ?? ''),
    input_per_mtok: price,
    output_per_mtok: price,
    context_window: fc.option(fc.constantFrom(1, 2), { nil: null }),
    note: fc.option(fc.constant('ours'), { nil: null }),
  },
  { requiredKeys: ['provider', 'model'] },
)
const config: fc.Arbitrary<FileConfig> = fc
  .record({
    providers: fc.dictionary(fc.constantFrom('a', 'b', 'builtin'), provider, { maxKeys: 3 }),
    workspaces: some(
      fc.record(
        {
          description: fc.constantFrom('one', 'two'),
          limits: fc.constantFrom({ rpm: 1 }, { budget: { usd: '5', per: 'day', mode: 'soft' } }),
          streaming: fc.boolean(),
          routes: some(route),
          keys: some(key),
        },
        { requiredKeys: ['routes', 'keys'] },
      ),
    ),
    registry: fc.uniqueArray(model, { maxLength: 3, selector: ({ model }) => model }),
    alerts: fc.record({
      rules: fc.record(
        {
          budget: fc.record({ thresholds: fc.constantFrom([60], [50, 90]) }),
          slow: fc.constantFrom(
            { rule: 'latency', factor: 3 },
            { rule: 'latency', provider: 'builtin', enabled: false },
          ),
        },
        { requiredKeys: [] },
      ),
      channels: fc.record(
        {
          ops: fc.record({
            kind: fc.constant('webhook'),
            url: fc.constantFrom('http://a/sk-one', 'http://b/'),
            secret: fc.constant(`whsec_${'sk'.repeat(20)}`),
            min_severity: fc.constantFrom('info', 'critical'),
          }),
          mail: fc.constant({ kind: 'email', host: 'mail.test', from: 'a@b.c', to: ['d@e.f'], port: 25 }),
        },
        { requiredKeys: [] },
      ),
    }),
  })
  .chain((value) => {
    const inDefault = Object.keys(value.workspaces ?? {})
    const [workspace = 'default'] = inDefault
    const template = fc.record({ workspace: fc.constant(workspace), max_keys: fc.integer({ min: 1, max: 3 }) })
    const issuer = fc.record({
      issuer: fc.constantFrom('https://one.test', 'https://two.test'),
      audiences: fc.constantFrom(['a'], ['a', 'b']),
      rules: fc.constant([]),
      enabled: fc.boolean(),
    })
    return fc.record({
      ...Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fc.constant(part)])),
      token_issuers: fc.dictionary(fc.constant('idp'), issuer, { maxKeys: 1 }),
      key_templates:
        inDefault.length === 0 ? fc.constant({}) : fc.dictionary(fc.constant(`keys-${workspace}`), template),
    })
  })
  .map((value) => FileConfigSchema.parse(value))

const input = ({ secrets }: Store, file: FileConfig, now: number, prune = true) => ({
  secrets,
  config: file,
  environment: ENVIRONMENT,
  kinds: kindsOf(ENVIRONMENT),
  contentProblem,
  actor: ACTOR,
  prune,
  now,
})

for (const engine of ENGINES) {
  describe(`plan and apply on ${engine}, for any row of files one after the other`, () => {
    test('applying reports what the plan said, and then a plan is empty', async () => {
      const store = await stores.openNew(engine)
      await seedRegistry(store.db, 1, builtin)
      await ensureEnvironmentProviders(store.db, store.secrets, ENVIRONMENT, 1)
      let now = 10
      await fc.assert(
        fc.asyncProperty(config, fc.boolean(), async (file, prune) => {
          now += 1
          const planned = await planConfig(store.db, input(store, file, now, prune))
          const { changes, unchanged, notInFile } = await applyConfig(store.db, input(store, file, now, prune))
          const withoutIds = (list: typeof changes) => list.map(({ auditResource: _id, ...change }) => change)
          assert.deepEqual(withoutIds(planned.changes), withoutIds(changes))
          assert.equal(planned.unchanged, unchanged)
          const again = await planConfig(store.db, input(store, file, now + 1, prune))
          assert.deepEqual([again.changes, again.notInFile], [[], notInFile])
          assert.ok(
            prune ? notInFile.length === 0 : changes.every(({ kind }) => kind !== 'delete' && kind !== 'release'),
          )
          assert.doesNotMatch(JSON.stringify(changes), /sk-one|sk-two|sk-environment/)
          const audited = await store.db.selectFrom('audit').select('id').where('at', '=', now).execute()
          assert.equal(audited.length, changes.length)
        }),
        { numRuns: engine === 'sqlite' ? atLength(10, 24) : atLength(4, 10) },
      )
    })

    test('an export, applied to an empty store, is exported alike', async () => {
      const [first, second] = [await stores.openNew(engine), await stores.openNew(engine)]
      await seedRegistry(first.db, 1, builtin)
      const exported = async ({ db, secrets }: Store, now: number) =>
        db.transaction().execute(async (transaction) => {
          const rows = await readControlRows(transaction)
          const alerts = await readAlertRows(transaction)
          const callers = await readCallers(transaction)
          return exportConfig({ rows, alerts, callers, secrets, builtin, kinds: kindsOf(ENVIRONMENT), now }).config
        })
      let now = 10
      await fc.assert(
        fc.asyncProperty(config, async (file) => {
          now += 1
          await applyConfig(first.db, input(first, file, now))
          const written = await exported(first, now)
          // As the parser would: every variable has a value, `$${` is `${`.
          const text = JSON.stringify(written).replace(/(\$?)\$\{(\w+)\}/g, (_whole, dollar, variable) =>
            dollar === '' ? placeholderValue(variable) : `\${${variable}}`,
          )
          await empty(second)
          await applyConfig(second.db, input(second, FileConfigSchema.parse(JSON.parse(text)), now))
          assert.deepEqual(await exported(second, now), written)
        }),
        { numRuns: engine === 'sqlite' ? atLength(6, 16) : atLength(3, 6) },
      )
    })
  })
}

function placeholderValue(variable: string): string {
  if (variable.includes('PROXY')) return 'http://u:a-value@p'
  if (variable === 'OPS_URL') return 'http://a/b'
  return variable === 'OPS_SECRET' ? `whsec_${'a'.repeat(40)}` : 'a-value'
}

async function empty({ db }: Store): Promise<void> {
  const callers = ['key_templates', 'token_issuers'] as const
  const tables = ['alert_channels', 'keys', 'routes', 'workspaces', 'providers', 'registry', 'price_versions'] as const
  for (const table of [...callers, ...tables]) await db.deleteFrom(table).execute()
  for (const name of ['alert%', 'callers%']) await db.deleteFrom('settings').where('name', 'like', name).execute()
  await seedRegistry(db, 1, builtin)
}

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { kindsOf } from '../../test/provider-kinds.ts'
import { ConfigError, drainGraceMs, type Environment, readConfig } from './config.ts'
import { streamSettings } from './stream-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const PROVIDERS = [
  { family: 'first', name: 'alpha', apiKeyVariable: 'ALPHA_KEY', baseUrlVariable: 'ALPHA_URL' },
  { family: 'second', name: 'beta', apiKeyVariable: 'BETA_KEY', baseUrlVariable: 'BETA_URL' },
]

const KINDS = kindsOf(PROVIDERS)

function read(environment: Environment) {
  return readConfig({ SWITCHYARD_CONFIG: file(''), ...environment }, PROVIDERS, KINDS)
}

let files = 0
function file(text: string): string {
  const path = join(folder, `config-${files++}.yaml`)
  writeFileSync(path, text)
  return path
}

function fileConfig(text: string, environment: Environment = {}) {
  return readConfig({ ...environment, SWITCHYARD_CONFIG: file(text) }, PROVIDERS, KINDS).file?.config
}

describe('the environment', () => {
  test('has the documented defaults', () => {
    const { settings } = read({})
    assert.deepEqual(
      [
        settings.HOST,
        settings.PORT,
        settings.DATA_DIR,
        settings.LOG_LEVEL,
        settings.MAX_BODY_BYTES,
        settings.DRAIN_SECONDS,
        settings.OVERLOAD_MS,
      ],
      ['127.0.0.1', 8080, './data', 'info', 33_554_432, 60, 500],
    )
    assert.deepEqual([settings.DATABASE_URL, settings.REQUEST_RETENTION_DAYS], [undefined, undefined])
  })

  test('counts an empty variable as unset', () => {
    assert.equal(read({ PORT: '', GATEWAY_KEY: '' }).settings.PORT, 8080)
  })

  test('streams are off, with the documented timers', () => {
    assert.deepEqual(streamSettings(read({}).settings), {
      isOnByDefault: false,
      holdHeadersMs: 15_000,
      keepAliveMs: 15_000,
      idleMs: 120_000,
      payloadIdleMs: 300_000,
      totalMs: 3_600_000,
      slowReaderMs: 60_000,
      drainMs: 60_000,
      drains: 16,
    })
  })

  test('timers of streams take fractions; heads held for 0 seconds wait for content', () => {
    const { settings } = read({ STREAMING: 'on', STREAM_HOLD_HEADERS_SECONDS: '0', STREAM_IDLE_SECONDS: '0.05' })
    const { isOnByDefault, holdHeadersMs, idleMs } = streamSettings(settings)
    assert.deepEqual([isOnByDefault, holdHeadersMs, idleMs], [true, null, 50])
  })

  const bad: [string, string][] = [
    ['STREAMING', 'yes'],
    ['STREAM_IDLE_SECONDS', '0'],
    ['STREAM_TOTAL_SECONDS', '86401'],
    ['STREAM_HOLD_HEADERS_SECONDS', '-1'],
    ['STREAM_DRAINS', '1.5'],
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['DATABASE_URL', 'mysql://x'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['REDIS_URL', 'redis://a secret@host:port'],
    ['REDIS_URL', 'redis://127.0.0.1/name'],
    ['REDIS_URL', 'redis://127.0.0.1'],
    ['REDIS_PREFIX', '{two}'],
    ['LIMITS_WHEN_DOWN', 'maybe'],
    ['LEASE_SECONDS', '0'],
    ['GATEWAY_KEY', 'short'],
    ['GATEWAY_KEY', 'with a blank in the middle'],
    ['ADMIN_KEY', 'short'],
    ['SECRETS_KEY', 'long-enough-key-1,short'],
    ['LOG_LEVEL', 'loud'],
    ['MAX_BODY_BYTES', '0'],
    ['DRAIN_SECONDS', 'soon'],
    ['SERVING_THREADS', '0'],
    ['SERVING_THREADS', 'all'],
    ['SERVING_THREADS', '999'],
    ['OVERLOAD_MS', '-1'],
    ['REQUEST_RETENTION_DAYS', '0'],
    ['SPOOL_SYNC', 'off'],
    ['ALPHA_URL', 'ftp://host'],
    ['ALPHA_URL', 'not a url'],
    ['ALPHA_URL', 'https://user:secret@host/v1'],
    ['ALPHA_KEY', 'with blank'],
  ]
  for (const [name, value] of bad) {
    test(`refuses ${name}=${value} with one line that names it and does not repeat it`, () => {
      assert.throws(
        () => read({ [name]: value }),
        (error: unknown) => {
          assert.ok(error instanceof ConfigError)
          assert.ok(error.message.startsWith(`${name}:`), error.message)
          assert.ok(!error.message.includes('\n'))
          if (/KEY$/.test(name)) assert.ok(!error.message.includes(value))
          return true
        },
      )
    })
  }

  for (const [environment, milliseconds] of [
    [{}, 0],
    [{ HOST: 'localhost' }, 0],
    [{ HOST: '::1' }, 0],
    [{ HOST: '0.0.0.0' }, 2_000],
    [{ HOST: '::' }, 2_000],
    [{ DATABASE_URL: 'postgres://127.0.0.1/x' }, 2_000],
    [{ HOST: '0.0.0.0', DRAIN_GRACE_MS: '0' }, 0],
    [{ DRAIN_GRACE_MS: '700' }, 700],
  ] as const) {
    test(`with ${JSON.stringify(environment)}, calls are taken for ${milliseconds} ms after SIGTERM`, () => {
      assert.equal(drainGraceMs(read(environment).settings), milliseconds)
    })
  }

  test('serves on one thread, or one for each core less one', () => {
    assert.equal(read({}).settings.SERVING_THREADS, 1)
    const auto = read({ SERVING_THREADS: 'auto' }).settings.SERVING_THREADS
    assert.equal(auto, Math.max(1, availableParallelism() - 1))
  })

  test('refuses threads together with shared counters', { skip: availableParallelism() === 1 }, () => {
    const shared = { DATABASE_URL: 'postgres://127.0.0.1/x', REDIS_URL: 'redis://127.0.0.1' }
    assert.throws(() => read({ ...shared, SERVING_THREADS: '2' }), /SERVING_THREADS: with REDIS_URL/)
  })

  test('sets up providers', () => {
    assert.deepEqual(read({ ALPHA_KEY: 'sk-1', BETA_URL: 'http://127.0.0.1:1/v1' }).environmentProviders, [
      { name: 'alpha', family: 'first', apiKey: 'sk-1', baseUrl: null },
      { name: 'beta', family: 'second', apiKey: null, baseUrl: 'http://127.0.0.1:1/v1' },
    ])
  })
})

describe('switchyard.yaml', () => {
  test('may be absent unless it was asked for', () => {
    assert.throws(
      () => readConfig({ SWITCHYARD_CONFIG: join(folder, 'nowhere.yaml') }, PROVIDERS, KINDS),
      /nowhere\.yaml: there is no such file/,
    )
  })

  test('reads the example of docs/configuration.md', () => {
    const config = fileConfig(
      `
providers:
  alpha: { api_key: \${ALPHA_API} }
  local: { family: first, base_url: http://127.0.0.1:11434/v1 }
workspaces:
  default:
    routes:
      fast:
        chain:
          - { provider: alpha, model: m-1, timeout_ms: 20000, retries: 1 }
          - { provider: local, model: llama3 }
    keys:
      ci: { limits: { rpm: 600, tpm: 200000, budget: { usd: "50", per: month, mode: hard } } }
registry:
  - { provider: local, model: llama3, input_per_mtok: "0", output_per_mtok: "0", context_window: 8192 }
`,
      { ALPHA_API: 'sk-alpha' },
    )
    assert.equal(config?.providers['alpha']?.api_key, 'sk-alpha')
    assert.equal(config?.workspaces['default']?.routes['fast']?.chain.length, 2)
    assert.equal(config?.workspaces['default']?.keys['ci']?.limits?.budget?.usd, '50')
    assert.equal(config?.registry[0]?.context_window, 8192)
  })

  test('takes ${VAR} from the environment, whatever characters it holds', () => {
    const config = fileConfig('providers:\n  alpha: { headers: { x-note: "a ${NOTE} b" }, api_key: ${K} }\n', {
      NOTE: 'b: {c} #d',
      K: 'sk-1',
    })
    assert.deepEqual(config?.providers['alpha'], { headers: { 'x-note': 'a b: {c} #d b' }, api_key: 'sk-1' })
  })

  test('takes $${VAR} as the text ${VAR}, and no text as a variable that is not written as one', () => {
    const written = 'workspaces: { w: { description: "$${A} $$${B} ⟦HOME⟧ ⟦C⟧" } }'
    assert.equal(fileConfig(written)?.workspaces['w']?.description, '${A} $${B} ⟦HOME⟧ ⟦C⟧')
  })

  test('does not look for variables in comments', () => {
    assert.doesNotThrow(() => fileConfig('# ${NOT_SET}\nregistry: []\n'))
  })

  const bad: [string, string, RegExp][] = [
    ['broken YAML', 'providers: [', /\.yaml: .+line/],
    ['a list at the top', '- a', /expected an object/],
    ['an unknown field', 'provider: {}', /unknown field "provider"/],
    ['an unset variable', 'providers:\n  alpha: { api_key: ${NOPE} }', /\$\{NOPE\} is not set/],
    [
      'an unknown family',
      'providers:\n  x: { family: third, base_url: http://h }',
      /providers\.x\.family: one of first, second/,
    ],
    ['a provider without family', 'providers:\n  x: { base_url: http://h }', /providers\.x\.family/],
    ['a provider without address', 'providers:\n  x: { family: first }', /providers\.x\.base_url/],
    ['a bad address', 'providers:\n  x: { family: first, base_url: h }', /providers\.x\.base_url/],
    ['a key in the address', 'providers:\n  x: { family: first, base_url: http://a:b@h }', /credentials/],
    ['a chain without entries', 'workspaces:\n  default: { routes: { a: { chain: [] } } }', /routes\.a\.chain/],
    [
      'a bad alias',
      'workspaces:\n  default: { routes: { "a*": { chain: [{ provider: alpha, model: m }] } } }',
      /alias/,
    ],
    [
      'a timeout of nothing',
      'workspaces:\n  d: { routes: { a: { chain: [{ provider: alpha, model: m, timeout_ms: 0 }] } } }',
      /timeout_ms/,
    ],
    ['a workspace without any request', 'workspaces:\n  d: { limits: { rpm: 0 } }', /workspaces\.d\.limits\.rpm/],
    [
      'a budget as a number',
      'workspaces:\n  d: { limits: { budget: { usd: 5, per: day } } }',
      /workspaces\.d\.limits\.budget\.usd/,
    ],
    ['an unknown limit', 'workspaces:\n  d: { limits: { rps: 5 } }', /rps/],
    ['a short key', 'workspaces:\n  d: { keys: { k: { value: short } } }', /at least 16/],
    [
      'a price as a number',
      'registry:\n  - { provider: alpha, model: m, input_per_mtok: 0.1 }',
      /input_per_mtok: .*string/,
    ],
    ['a price too fine', 'registry:\n  - { provider: alpha, model: m, input_per_mtok: "0.0000001" }', /six decimals/],
    ['a negative price', 'registry:\n  - { provider: alpha, model: m, output_per_mtok: "-1" }', /not a price/],
    ['a header with a line break', 'providers:\n  alpha: { headers: { x-a: "a\\nb" } }', /header value/],
  ]
  for (const [what, text, expected] of bad) {
    test(`refuses ${what} with one line that names the place`, () => {
      assert.throws(
        () => fileConfig(text),
        (error: unknown) => {
          assert.ok(error instanceof ConfigError)
          assert.match(error.message, expected)
          assert.ok(!error.message.includes('\n'))
          return true
        },
      )
    })
  }
})

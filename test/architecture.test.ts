import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'

/** Which rooms a room may import from (docs/architecture.md holds the same table), and which packages it may use. */
const ROOMS: Record<string, { rooms: string[]; packages: string[] }> = {
  'src/domain': { rooms: [], packages: ['zod'] },
  'src/http': { rooms: ['src/domain'], packages: ['find-my-way'] },
  'src/providers': { rooms: ['src/domain'], packages: ['zod'] },
  'src/large-bodies': { rooms: ['src/domain', 'src/providers'], packages: [] },
  'src/store': { rooms: ['src/domain'], packages: ['kysely', 'pg', 'zod'] },
  'src/counters': { rooms: ['src/domain'], packages: ['@redis'] },
  'src/telemetry': { rooms: ['src/domain'], packages: ['pino', 'pino-pretty', 'prom-client'] },
  'src/gateway': {
    rooms: ['src/domain', 'src/http', 'src/providers', 'src/large-bodies', 'src/store', 'src/telemetry'],
    packages: [],
  },
  'src/management': {
    rooms: ['src/domain', 'src/http', 'src/store', 'src/telemetry'],
    packages: ['zod', 'kysely', 'yaml'],
  },
  'src/package-path.ts': { rooms: [], packages: [] },
  'src/version.ts': { rooms: ['src/package-path.ts'], packages: [] },
  'src/config.ts': { rooms: ['src/domain'], packages: ['yaml', 'zod'] },
  'src/prepare-store.ts': {
    rooms: ['src/domain', 'src/store', 'src/telemetry', 'src/config.ts'],
    packages: ['kysely'],
  },
  'src/watch-config.ts': { rooms: ['src/telemetry', 'src/config.ts'], packages: [] },
  'src/management-api.ts': {
    rooms: [
      'src/domain',
      'src/http',
      'src/store',
      'src/gateway',
      'src/management',
      'src/version.ts',
      'src/config.ts',
      'src/prepare-store.ts',
    ],
    packages: [],
  },
  'src/open-ledger.ts': {
    rooms: ['src/domain', 'src/counters', 'src/store', 'src/telemetry', 'src/gateway', 'src/config.ts'],
    packages: [],
  },
  'src/main.ts': {
    rooms: [
      'src/open-ledger.ts',
      'src/domain',
      'src/http',
      'src/providers',
      'src/large-bodies',
      'src/store',
      'src/telemetry',
      'src/gateway',
      'src/management-api.ts',
      'src/package-path.ts',
      'src/version.ts',
      'src/config.ts',
      'src/prepare-store.ts',
      'src/watch-config.ts',
    ],
    packages: [],
  },
  'src/doctor': {
    rooms: [
      'src/counters',
      'src/domain',
      'src/http',
      'src/store',
      'src/providers',
      'src/gateway',
      'src/config.ts',
      'src/prepare-store.ts',
    ],
    packages: [],
  },
  'src/ship-dead-node.ts': { rooms: ['src/domain', 'src/counters', 'src/store', 'src/config.ts'], packages: [] },
  'src/migrate': { rooms: ['src/store'], packages: ['kysely', 'pg'] },
  'src/cli': {
    rooms: [
      'src/main.ts',
      'src/doctor',
      'src/migrate',
      'src/ship-dead-node.ts',
      'src/config.ts',
      'src/version.ts',
      'src/domain',
      'src/management',
      'demo',
    ],
    packages: ['zod'],
  },
  demo: { rooms: ['simulator', 'src/main.ts', 'src/cli', 'src/domain', 'src/store'], packages: [] },
  simulator: { rooms: [], packages: [] },
}

interface Import {
  file: string
  specifier: string
}

const files = globSync('{src,demo,simulator}/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8')
  // The formatter writes every import this way, on one line or ending with this line.
  const pattern = /^(?:import\b.*|\}|export\b.*) from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
  return [...source.matchAll(pattern)].map((match) => ({ file, specifier: match[1] ?? match[2] ?? match[3] ?? '' }))
}

function roomOf(path: string): string {
  const room = Object.keys(ROOMS).find((name) => path === name || path.startsWith(`${name}/`))
  assert.ok(room, `${path} stands in no room of the table`)
  return room
}

describe('a room imports only from the rooms listed for it', () => {
  for (const file of files) {
    test(file, () => {
      const room = roomOf(file)
      const rules = ROOMS[room]!
      for (const { specifier } of importsOf(file)) {
        if (specifier.startsWith('node:')) continue
        if (specifier.startsWith('.')) {
          const target = roomOf(normalize(join(dirname(file), specifier)))
          assert.ok(target === room || rules.rooms.includes(target), `${file} imports ${specifier} of ${target}`)
        } else {
          const name = specifier.split('/', 1)[0] ?? ''
          assert.ok(rules.packages.includes(name), `${file} imports the package ${specifier}`)
        }
      }
    })
  }
})

test('the reader of imports sees them', () => {
  const specifiers = importsOf('src/main.ts').map((found) => found.specifier)
  assert.ok(specifiers.includes('./config.ts') && specifiers.includes('./store/open.ts'))
  assert.ok(importsOf('src/http/router.ts').some((found) => found.specifier === 'find-my-way'))
})

test('the files of one family import nothing of the other', () => {
  const families = ['openai', 'anthropic']
  for (const family of families) {
    const others = families.filter((name) => name !== family)
    for (const file of globSync(`src/providers/${family}/**/*.ts`)) {
      for (const { specifier } of importsOf(file)) {
        assert.ok(!others.some((other) => specifier.includes(`/${other}/`)), `${file} imports ${specifier}`)
      }
    }
  }
})

test("a provider's name appears nowhere in the source outside its folder and the table of families", () => {
  for (const file of files) {
    if (!file.startsWith('src/') || /^src\/providers\/(openai|anthropic)\//.test(file)) continue
    if (file === 'src/providers/families.ts') continue
    assert.doesNotMatch(readFileSync(file, 'utf8'), /openai|anthropic|claude|\bgpt\b|gpt-/i, file)
  }
})

test('no folder or file is called utils, helpers, common, shared, misc, lib, services or manager', () => {
  const banned = /(^|[/.-])(utils?|helpers?|common|shared|misc|lib|services?|manager)([/.-]|$)/i
  assert.deepEqual(
    globSync('{src,demo,simulator,bench,test,scripts}/**/*.ts').filter((file) => banned.test(file)),
    [],
  )
})

test('the command line knows of the management API nothing but its contract', () => {
  for (const file of files.filter((name) => name.startsWith('src/cli/'))) {
    for (const { specifier } of importsOf(file)) {
      const isServer = specifier.startsWith('../management/') && !specifier.startsWith('../management/contract/')
      assert.ok(!isServer, `${file} imports ${specifier}`)
    }
  }
})

test('only providers/lines.ts opens sockets to providers', () => {
  const openers = files.filter(
    (file) => file.startsWith('src/') && /\bfetch\(|node:https?'|node:net'|node:tls'/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(openers.sort(), [
    // Talks to the gateway, as any client does.
    'src/cli/api-client.ts',
    // Reads addresses, opens nothing.
    'src/domain/caller-source.ts',
    'src/http/body.ts',
    'src/http/check-port.ts',
    'src/http/connections.ts',
    'src/http/incoming-call.ts',
    'src/http/lane.ts',
    'src/http/server.ts',
    'src/http/unreadable.ts',
    'src/providers/line.ts',
    // Makes the connections to providers.
    'src/providers/lines.ts',
  ])
})

test('no type of node:http leaves src/http', () => {
  const users = files.filter((file) => file.startsWith('src/') && /from 'node:http'/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(
    users.filter((file) => !file.startsWith('src/http/')),
    [],
  )
})

/** Files of the source that match, so that a second way around is a failing test. */
function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => file.startsWith('src/') && pattern.test(readFileSync(file, 'utf8'))).sort()
}

describe('nothing that can spend goes around admission', () => {
  test('leave to call providers is given by admit alone, and only after the ledger was asked', () => {
    assert.deepEqual(filesWith(/as Admission\b|\[admitted\]/), ['src/gateway/admit.ts'])
    assert.deepEqual(filesWith(/ledger\.admit\(/), ['src/gateway/admit.ts'])
    assert.deepEqual(filesWith(/requestLog\.open\(/), ['src/gateway/admit.ts'])
    const source = readFileSync('src/gateway/admit.ts', 'utf8')
    assert.ok(source.indexOf('ledger.admit(') < source.indexOf('as Admission'))
  })

  test('the walk along the chain asks for that leave, and one handler walks', () => {
    assert.deepEqual(filesWith(/\btryChain\(/), ['src/gateway/handle-chat.ts', 'src/gateway/try-chain.ts'])
    assert.match(readFileSync('src/gateway/try-chain.ts', 'utf8'), /function tryChain\(\{[^}]*\}: Admission,/)
    assert.deepEqual(filesWith(/\btryEntry\(/), ['src/gateway/try-chain.ts', 'src/gateway/try-entry.ts'])
  })

  test('a call in the name of a key goes through that very handler', () => {
    const callers = ['src/gateway/handle-chat.ts', 'src/gateway/http-routes.ts', 'src/gateway/try-chat.ts']
    assert.deepEqual(filesWith(/\bhandleChat\(/), callers)
  })

  test('whoever else calls a provider asks for its model list, which is free', () => {
    const callers = ['src/doctor/provider-checks.ts', 'src/gateway/catalog.ts', 'src/gateway/test-provider.ts']
    assert.deepEqual(filesWith(/\bcaller\.call\(/), [...callers, 'src/gateway/try-entry.ts'])
    for (const file of callers) assert.doesNotMatch(readFileSync(file, 'utf8'), /chatTarget|'POST'/, file)
    assert.deepEqual(filesWith(/\.chatTarget\(/), ['src/gateway/explain.ts', 'src/gateway/try-entry.ts'])
  })
})

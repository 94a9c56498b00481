import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { FAMILIES } from '../src/providers/families.ts'
import { circles, importsOf, sources } from './imports.ts'

interface Room {
  /** The rooms it may import from; docs/architecture.md holds the same table. */
  rooms: string[]
  packages: string[]
}

/** From the ground floor up: a room imports only from rooms above it in this table. */
const ROOMS: Record<string, Room> = {
  'src/domain': { rooms: [], packages: ['zod'] },
  simulator: { rooms: [], packages: [] },
  'src/threads': { rooms: [], packages: [] },
  'src/telemetry': { rooms: ['src/domain'], packages: ['@opentelemetry', 'pino', 'pino-pretty', 'prom-client'] },
  'src/http': { rooms: ['src/domain'], packages: ['find-my-way'] },
  'src/pages': { rooms: ['src/domain', 'src/http'], packages: [] },
  'src/upstream': { rooms: ['src/domain'], packages: [] },
  'src/endpoints': { rooms: ['src/domain'], packages: ['zod'] },
  'src/providers': { rooms: ['src/domain', 'src/upstream'], packages: ['aws4fetch', 'zod'] },
  'src/bodies': { rooms: ['src/domain', 'src/threads', 'src/endpoints', 'src/providers'], packages: [] },
  'src/limits': { rooms: ['src/domain', 'src/threads'], packages: ['@redis'] },
  'src/store/engine': { rooms: ['src/domain', 'src/threads'], packages: ['kysely', 'pg'] },
  'src/content': {
    rooms: ['src/domain', 'src/threads', 'src/endpoints', 'src/store/engine'],
    packages: ['kysely', 're2js'],
  },
  'src/store/control': { rooms: ['src/domain', 'src/store/engine'], packages: ['kysely', 'zod'] },
  'src/store/config-file': {
    rooms: ['src/domain', 'src/store/engine', 'src/store/control'],
    packages: ['kysely', 'yaml'],
  },
  'src/request-log': { rooms: ['src/domain', 'src/threads', 'src/limits', 'src/store/engine'], packages: ['kysely'] },
  'src/alerts': {
    rooms: ['src/domain', 'src/limits', 'src/store/engine', 'src/store/control', 'src/request-log'],
    packages: ['kysely', 'nodemailer'],
  },
  'src/store/migrations': {
    rooms: ['src/store/engine', 'src/store/control', 'src/request-log'],
    packages: ['kysely'],
  },
  'src/tokens': { rooms: ['src/domain'], packages: ['jose'] },
  'src/calls': {
    rooms: [
      'src/domain',
      'src/telemetry',
      'src/http',
      'src/upstream',
      'src/endpoints',
      'src/providers',
      'src/bodies',
      'src/limits',
      'src/request-log',
      'src/content',
      'src/tokens',
    ],
    packages: [],
  },
  'src/reconcile': { rooms: ['src/domain'], packages: [] },
  'src/management/contract': { rooms: ['src/domain'], packages: ['zod'] },
  'src/management': {
    rooms: [
      'src/domain',
      'src/http',
      'src/endpoints',
      'src/limits',
      'src/content',
      'src/store/engine',
      'src/store/control',
      'src/store/config-file',
      'src/request-log',
      'src/reconcile',
      'src/management/contract',
    ],
    packages: ['zod', 'kysely', 'yaml', 'openid-client'],
  },
  'src/litellm-api': {
    rooms: [
      'src/domain',
      'src/http',
      'src/endpoints',
      'src/limits',
      'src/store/engine',
      'src/store/control',
      'src/management/contract',
      'src/management',
    ],
    packages: ['zod', 'kysely'],
  },
  'src/migrate': {
    rooms: ['src/domain', 'src/store/engine', 'src/store/control', 'src/store/migrations', 'src/request-log'],
    packages: ['kysely', 'pg'],
  },
  'src/import': {
    rooms: ['src/domain', 'src/store/engine', 'src/store/control', 'src/management/contract'],
    packages: ['@noble', 'pg', 'yaml', 'zod'],
  },
  'src/compare': { rooms: ['src/domain'], packages: [] },
  'src/app': {
    rooms: [
      'src/domain',
      'src/threads',
      'src/telemetry',
      'src/http',
      'src/pages',
      'src/upstream',
      'src/endpoints',
      'src/providers',
      'src/bodies',
      'src/limits',
      'src/content',
      'src/store/engine',
      'src/store/control',
      'src/store/config-file',
      'src/store/migrations',
      'src/request-log',
      'src/alerts',
      'src/tokens',
      'src/calls',
      'src/management',
      'src/litellm-api',
      'src/migrate',
    ],
    packages: ['zod', 'kysely'],
  },
  'src/doctor': {
    rooms: [
      'src/domain',
      'src/http',
      'src/upstream',
      'src/providers',
      'src/limits',
      'src/store/engine',
      'src/store/control',
      'src/store/migrations',
      'src/calls',
      'src/app',
    ],
    packages: [],
  },
  demo: {
    rooms: ['simulator', 'src/domain', 'src/limits', 'src/calls', 'src/request-log', 'src/store/control', 'src/app'],
    packages: [],
  },
  prove: { rooms: ['simulator'], packages: [] },
  'src/cli': {
    rooms: [
      'src/domain',
      'src/http',
      'src/management/contract',
      'src/migrate',
      'src/import',
      'src/compare',
      'src/reconcile',
      'src/app',
      'src/doctor',
      'demo',
      'prove',
    ],
    packages: ['aws4fetch', 'hyparquet-writer', 'openid-client', 'yaml', 'zod'],
  },
}

/** Measures anything, so it may import everything; nothing imports it. */
const BENCH: Room = {
  rooms: [...Object.keys(ROOMS), 'test', 'scripts'],
  packages: ['kysely', 'pg', 'playwright-core', 'undici'],
}

const rules: Record<string, Room> = { ...ROOMS, bench: BENCH }
const names = [...Object.keys(rules), 'test', 'scripts'].sort((a, b) => b.length - a.length)

function roomOf(path: string): string {
  const room = names.find((name) => path.startsWith(`${name}/`))
  assert.ok(room, `${path} is in no room of the table`)
  return room
}

describe('a room imports only from the rooms and packages listed for it', () => {
  for (const [room, { rooms, packages }] of Object.entries(rules)) {
    test(room, () => {
      for (const file of sources.filter((each) => roomOf(each) === room)) {
        for (const { target, isOurs } of importsOf(file)) {
          if (target.startsWith('node:')) continue
          const name = isOurs ? roomOf(target) : (target.split('/', 1)[0] ?? '')
          const isListed = isOurs ? name === room || rooms.includes(name) : packages.includes(name)
          assert.ok(isListed, `${file} imports ${target}`)
        }
      }
    })
  }
})

test('a room imports only from rooms that stand above it in the table', () => {
  const order = Object.keys(ROOMS)
  for (const [room, { rooms }] of Object.entries(ROOMS)) {
    const below = rooms.filter((each) => order.indexOf(each) > order.indexOf(room))
    assert.deepEqual(below, [], room)
  }
})

/** Of one item in a cell of the page: the last name of a room, or of a folder of rooms; `but` leaves some out. */
function roomsOf(item: string, above: readonly string[]): string[] {
  const [name = '', but = ''] = item.replace(')', '').split(/ \(?but /)
  const left = but.split(/, | and /)
  const named = Object.keys(ROOMS).filter((room) => room.split('/').at(-1) === name)
  const all = name === 'all of the above' ? above : Object.keys(ROOMS).filter((room) => room.startsWith(`src/${name}/`))
  return named.length > 0 ? named : all.filter((room) => !left.includes(room.split('/').at(-1) ?? ''))
}

test('the table of docs/architecture.md has the rooms, in this order, and what each may import', () => {
  const page = readFileSync('docs/architecture.md', 'utf8')
  const rows = [...page.matchAll(/^\| `(\S+)` \| (.*?) \|/gm)].map(([, room = '', cell = '']) => ({ room, cell }))
  assert.deepEqual(
    rows.map(({ room }) => room),
    Object.keys(rules),
  )
  for (const [place, { room, cell }] of rows.entries()) {
    const above = rows.slice(0, place).map((row) => row.room)
    const items = cell.startsWith('all') ? [cell] : cell.split(', ')
    const imported = { '–': [], everything: BENCH.rooms }[cell] ?? items.flatMap((item) => roomsOf(item, above))
    assert.deepEqual(imported.toSorted(), rules[room]?.rooms.toSorted(), room)
  }
})

test('files do not import each other in a circle, types included', () => {
  assert.deepEqual(
    circles(sources).map((circle) => circle.join(' → ')),
    [],
  )
})

test('no folder holds more than 40 files, but for the decisions, which are a list by number', () => {
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  const counts = new Map<string, number>()
  for (const file of tracked.split('\n').filter(Boolean))
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  assert.deepEqual(
    [...counts].filter(([folder, count]) => count > 40 && folder !== 'docs/decisions'),
    [],
  )
})

const familyFolders = [...FAMILIES.keys()]

/** Serves models of other vendors in their own formats, in an envelope. */
const BUILDS_ON: Readonly<Record<string, readonly string[]>> = {
  bedrock: ['anthropic'],
  vertex: ['gemini', 'anthropic', 'openai'],
}
const isBuiltOn = (family: string, other: string) => BUILDS_ON[family]?.includes(other) === true

test('the files of one family import nothing of another, unless it is built on it', () => {
  for (const family of familyFolders) {
    for (const file of sources.filter((each) => each.startsWith(`src/providers/${family}/`))) {
      for (const { target } of importsOf(file)) {
        const other = familyFolders.find(
          (each) => each !== family && !isBuiltOn(family, each) && target.startsWith(`src/providers/${each}/`),
        )
        assert.equal(other, undefined, `${file} imports ${target}`)
      }
    }
  }
})

const TABLES: ReadonlySet<string> = new Set(['src/providers/families.ts', 'src/providers/presets.ts'])

test('only the tables of families and presets import a family', () => {
  for (const file of sources.filter((each) => each.startsWith('src/') && !TABLES.has(each))) {
    for (const { target } of importsOf(file)) {
      const family = familyFolders.find((each) => target.startsWith(`src/providers/${each}/`))
      const isOwn = familyFolders.some(
        (each) => (each === family || isBuiltOn(each, family ?? '')) && file.startsWith(`src/providers/${each}/`),
      )
      assert.ok(family === undefined || isOwn, `${file} imports ${target}`)
    }
  }
})

// A name in a text is no import, so this one reads the text.
test("a provider's name appears nowhere in the source outside its folder and a few tables", () => {
  const names = new RegExp([...familyFolders, 'claude', '\\bgpt\\b', 'gpt-'].join('|'), 'i')
  for (const file of sources) {
    if (!file.startsWith('src/') || familyFolders.some((each) => file.startsWith(`src/providers/${each}/`))) continue
    // Tables of tools, of their headers and paths hold names of products, not of families.
    const isTable = /(families|presets|agent-setups|agent-headers|agent-refusals|litellm-paths)\.ts$/.test(file)
    // What another gateway calls providers is data about that gateway.
    // What vendors write in their reports, and which vendor a report is of, is data about those reports.
    if (isTable || file.startsWith('src/import/') || file.startsWith('src/reconcile/sources/')) continue
    assert.doesNotMatch(readFileSync(file, 'utf8'), names, file)
  }
})

test('no folder or file is called utils, helpers, common, shared, misc, lib, services or manager', () => {
  const banned = /(^|[/.-])(utils?|helpers?|common|shared|misc|lib|services?|manager)([/.-]|$)/i
  assert.deepEqual(
    sources.filter((file) => banned.test(file)),
    [],
  )
})

test('only the upstream client opens sockets to providers', () => {
  const openers = sources.filter(
    (file) =>
      file.startsWith('src/') && importsOf(file).some(({ target }) => /^node:(https?|http2|net|tls)$/.test(target)),
  )
  const outside = openers.filter((file) => !file.startsWith('src/http/'))
  const files = ['client', 'connection', 'dial', 'environment-proxies', 'plain-socket', 'tunnel']
  assert.deepEqual(
    outside.sort(),
    files.map((name) => `src/upstream/${name}.ts`),
  )
})

test('no type of node:http leaves src/http', () => {
  const users = sources.filter((file) => importsOf(file).some(({ target }) => target === 'node:http'))
  assert.deepEqual(
    users.filter((file) => file.startsWith('src/') && !file.startsWith('src/http/')),
    [],
  )
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'

/** Which rooms of the dashboard a room may import from. Pages know nothing of each other. */
const ROOMS: Record<string, string[]> = {
  'dashboard/src/format': [],
  'dashboard/src/theme.ts': [],
  'dashboard/src/api': [],
  'dashboard/src/charts': ['dashboard/src/format', 'dashboard/src/theme.ts', 'dashboard/src/components'],
  'dashboard/src/components': [
    'dashboard/src/format',
    'dashboard/src/api',
    'dashboard/src/theme.ts',
    'dashboard/src/shell/place.ts',
  ],
  'dashboard/src/shell/place.ts': [],
  'dashboard/src/reference': [
    'dashboard/src/format',
    'dashboard/src/api',
    'dashboard/src/components',
    'dashboard/src/theme.ts',
  ],
  'dashboard/src/pages': [
    'dashboard/src/format',
    'dashboard/src/api',
    'dashboard/src/theme.ts',
    'dashboard/src/charts',
    'dashboard/src/components',
    'dashboard/src/shell/place.ts',
  ],
  'dashboard/src/shell': [
    'dashboard/src/format',
    'dashboard/src/api',
    'dashboard/src/components',
    'dashboard/src/pages',
    'dashboard/src/shell/place.ts',
  ],
}
/** Pure modules of the gateway that a file of the dashboard passes on. */
const SHARED: Record<string, string[]> = {
  'dashboard/src/format/token-classes.ts': ['src/domain/pricing/classes.ts'],
  'dashboard/src/format/units.ts': ['src/domain/pricing/unit-prices.ts'],
  'dashboard/src/format/changes.ts': ['src/domain/changes/change-words.ts', 'src/domain/changes/restorable.ts'],
}
const PACKAGES =
  /^(react|react-dom\/client|@mantine\/\w+|@tanstack\/react-query|lucide-react|wouter|@dnd-kit\/\w+|dayjs|yaml)$/

const files = globSync('dashboard/src/**/*.{ts,tsx}').filter((file) => !/\.(test|d)\.ts$/.test(file))

interface Import {
  specifier: string
  isType: boolean
}

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8')
  const pattern = /^import (type )?(?:[^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...source.matchAll(pattern)].map((match) => ({
    specifier: match[2] ?? match[3] ?? '',
    isType: match[1] !== undefined,
  }))
}

function roomOf(path: string): string {
  const room = Object.keys(ROOMS)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0]
  return room ?? path
}

describe('a room of the dashboard imports only from the rooms listed for it', () => {
  for (const file of files) {
    test(file, () => {
      const room = roomOf(file)
      for (const { specifier, isType } of importsOf(file)) {
        if (/\.css$|^virtual:/.test(specifier) || (isType && specifier === 'zod')) continue
        if (!specifier.startsWith('.')) {
          assert.match(specifier, PACKAGES, file)
          continue
        }
        const target = normalize(join(dirname(file), specifier))
        if (isType && target === 'src/management/contract/contract.ts') continue
        if (SHARED[file]?.includes(target)) continue
        if (file === 'dashboard/src/format/agent-setups.ts' && target === 'src/domain/wording/agent-setups.ts') continue
        assert.ok(target.startsWith('dashboard/src/'), `${file} imports ${specifier}`)
        const rooms = ROOMS[room]
        const targetRoom = roomOf(target)
        const isAllowed = rooms === undefined || targetRoom === room || rooms.includes(targetRoom)
        assert.ok(isAllowed, `${file} imports ${specifier} of ${targetRoom}`)
      }
    })
  }

  test('pages know nothing of each other', () => {
    for (const file of files.filter((name) => name.startsWith('dashboard/src/pages/'))) {
      const folder = file.split('/')[3]
      for (const { specifier } of importsOf(file).filter((found) => found.specifier.startsWith('.'))) {
        const target = normalize(join(dirname(file), specifier)).split('/')
        assert.ok(target[2] !== 'pages' || target[3] === folder, `${file} imports ${specifier}`)
      }
    }
  })

  test('the reader of imports sees them', () => {
    assert.ok(importsOf('dashboard/src/app.tsx').some(({ specifier }) => specifier === './theme.ts'))
    assert.ok(importsOf('dashboard/src/shell/pages.ts').some(({ specifier }) => specifier.includes('overview-page')))
  })
})

test('of the server the dashboard imports the types of the contract, its tables and the words of a change', () => {
  const users = files.flatMap((file) => importsOf(file).map((found) => ({ file, ...found })))
  const ofServer = users.filter(({ specifier }) => specifier.includes('../src/'))
  assert.deepEqual(ofServer.map(({ isType, specifier }) => [isType, specifier]).sort(), [
    [false, '../../../src/domain/changes/change-words.ts'],
    [false, '../../../src/domain/changes/restorable.ts'],
    [false, '../../../src/domain/pricing/classes.ts'],
    [false, '../../../src/domain/pricing/unit-prices.ts'],
    [false, '../../../src/domain/wording/agent-setups.ts'],
    [true, '../../../src/management/contract/contract.ts'],
  ])
})

test("a provider's name appears nowhere in the dashboard", () => {
  for (const file of files) {
    // The client libraries that it writes code for are called so.
    if (/(playground\/code-for|keys\/first-call|reference\/samples)\.ts$/.test(file)) continue
    assert.doesNotMatch(readFileSync(file, 'utf8'), /openai|anthropic|claude|\bgpt\b|gpt-/i, file)
  }
})

test('nothing goes around the page’s policy', () => {
  for (const file of files) {
    assert.doesNotMatch(
      readFileSync(file, 'utf8'),
      /dangerouslySetInnerHTML|\beval\(|new Function\(|https?:\/\/(?!127)/,
      file,
    )
  }
})

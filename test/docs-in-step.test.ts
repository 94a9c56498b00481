import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'
import { SETTINGS } from '../src/app/config.ts'
import { commands } from '../src/cli/commands.ts'
import { ERRORS } from '../src/domain/errors.ts'
import { LOG_FIELDS, publicName } from '../src/domain/log/fields.ts'
import type { LogField } from '../src/domain/log/log-field.ts'
import { AGENT_HEADERS } from '../src/endpoints/agent-headers.ts'
import { OWN_HEADERS } from '../src/endpoints/call-names.ts'
import { builtinProviders } from '../src/providers/provider-kinds.ts'
import { createMetrics } from '../src/telemetry/metrics.ts'
import { PROXY_VARIABLES } from '../src/upstream/environment-proxies.ts'

/** First cells of the rows of a page's tables, without the backticks. */
function firstCells(page: string, pattern: RegExp): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^\| `([^`]+)` \|/gm)]
    .map((match) => match[1] ?? '')
    .filter((cell) => pattern.test(cell))
    .sort()
}

test('docs/errors.md lists exactly the error codes, each with its status', () => {
  assert.deepEqual(firstCells('docs/errors.md', /^[a-z_]+$/), Object.keys(ERRORS).sort())
  const page = readFileSync('docs/errors.md', 'utf8')
  for (const [code, { status }] of Object.entries(ERRORS)) {
    assert.ok(page.includes(`| \`${code}\` | ${status} |`), `${code} stands with another status than ${status}`)
  }
})

test('docs/errors.md lists exactly the final errors', () => {
  const list = /These are (.*?);/s.exec(readFileSync('docs/errors.md', 'utf8'))?.[1] ?? ''
  const final = Object.entries(ERRORS).flatMap(([code, row]) => ('isFinal' in row ? [code] : []))
  assert.deepEqual([...list.matchAll(/`(\w+)`/g)].map((match) => match[1]).sort(), final.sort())
})

test('docs/configuration.md lists exactly the variables that are read', () => {
  const ofProviders = builtinProviders().flatMap(({ apiKeyVariable, baseUrlVariable, speaksVariable = [] }) =>
    [apiKeyVariable, baseUrlVariable].concat(speaksVariable),
  )
  const ofProxies = [...PROXY_VARIABLES.filter((name) => name === name.toUpperCase()), 'NO_PROXY']
  assert.deepEqual(
    firstCells('docs/configuration.md', /^[A-Z_]+$/),
    [...Object.keys(SETTINGS), ...ofProviders, ...ofProxies].sort(),
  )
})

test('docs/metrics.md lists exactly our metrics', async () => {
  const log = () => ({ spoolRows: 0, lagRows: 0, lagSeconds: 0, maxRows: 0, diskError: null })
  const limits = () => ({ kind: 'memory' as const })
  const bodies = () => ({ held: 0, bounds: { bytes: 0 } })
  const observed = { circuits: () => [], log, control: () => ({ behindSince: null }), limits, bodies }
  const metrics = createMetrics({ ...observed, connections: () => 0, budgets: () => [] })
  const names = [...(await metrics.expose()).matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? '')
  const ours = names.filter((name) => !/^switchyard_(process|nodejs)_/.test(name))
  assert.deepEqual(firstCells('docs/metrics.md', /^switchyard_/), ours.sort())
})

test('docs/attribution.md lists the headers that name a call, in order', () => {
  const cell = (name: string | undefined) => (name === undefined ? '–' : `\`${name}\``)
  const { session, agent, parent, project } = OWN_HEADERS
  const own = { sentBy: 'any client; overrides the others', session, agent, parent, project }
  const rows = [own, ...AGENT_HEADERS].map(({ sentBy, ...headers }: Partial<(typeof AGENT_HEADERS)[number]>) => {
    const starter = headers.parent ?? headers.parentSession
    const named = headers.parentSession === undefined ? headers.agent : headers.session
    return `| ${sentBy} | ${cell(headers.session)} | ${cell(named)} | ${cell(starter)} | ${cell(headers.project)} |\n`
  })
  const table = `| sent by | session | agent | parent | project |\n|---|---|---|---|---|\n${rows.join('')}\n`
  const page = readFileSync('docs/attribution.md', 'utf8')
  assert.ok(page.includes(table), `put this table into docs/attribution.md:\n${table}`)
})

test('docs/management/requests.md lists the log fields that are named differently in the database; /docs has all', () => {
  const cell = (name: string | null) => (name === null ? '–' : `\`${name}\``)
  const rows = LOG_FIELDS.flatMap((field: LogField) => {
    const names = [publicName(field, 'api'), publicName(field, 'export')]
    if (field.column === null || names.every((name) => name === field.column)) return []
    return [`| \`${field.column}\` | ${names.map(cell).join(' | ')} | ${field.doc} |`]
  })
  const table = ['| column | list, get | export | meaning |', '|---|---|---|---|', ...rows].join('\n')
  const page = readFileSync('docs/management/requests.md', 'utf8')
  assert.ok(page.includes(`${table}\n\n`), `put this table into docs/management/requests.md:\n${table}`)
})

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')]

/** As GitHub names the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('links between pages lead somewhere', () => {
  for (const page of PAGES) {
    test(page, () => {
      for (const [, target = '', anchor] of readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)) {
        if (/^https?:/.test(target)) continue
        const path = target === '' ? page : normalize(join(dirname(page), target))
        assert.ok(globSync(path).length > 0, `${page} links to ${target}`)
        if (anchor !== undefined) assert.ok(anchorsOf(path).includes(anchor), `${page} links to ${target}#${anchor}`)
      }
    })
  }
})

describe('every `switchyard …` command in the pages exists, with its options', () => {
  const known = commands().flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].map((name) => ({ name, command })),
  )
  const common = ['help', 'version', 'url', 'admin-key-file', 'json', 'if-match', 'all', 'limit', 'cursor']
  for (const page of PAGES) {
    test(page, () => {
      const code = [...readFileSync(page, 'utf8').matchAll(/^```.*?^```|`[^`]+`/gms)].map(([text]) => text)
      for (const text of code) {
        for (const [, line = ''] of text.matchAll(
          /(?:^|[\s`(=])(?<!(?:role|database) )switchyard ([a-z][^`\n|;&#)]*)/g,
        )) {
          const words = line.trim()
          const longest = known
            .filter(({ name }) => `${words} `.startsWith(`${name} `))
            .sort((a, b) => b.name.length - a.name.length)[0]
          assert.ok(longest, `${page}: there is no command 'switchyard ${words}'`)
          for (const [, option = ''] of words.matchAll(/ --([a-z][a-z-]*)/g)) {
            const isKnown = option in longest.command.options || common.includes(option)
            assert.ok(isKnown, `${page}: 'switchyard ${longest.name}' has no option --${option}`)
          }
        }
      }
    })
  }
})

test('every proof named in docs/contract.md is a test that exists', () => {
  const proofs = [...readFileSync('docs/contract.md', 'utf8').matchAll(/`((?:test|src)\/[^`:]+\.test\.ts): ([^`]+)`/g)]
  assert.ok(proofs.length > 30)
  for (const [, file = '', title = ''] of proofs) {
    const titles = [...readFileSync(file, 'utf8').matchAll(/(?:test|describe)\(\s*(['"`])(.*?)\1,/gs)].map(
      (match) => match[2],
    )
    const found = titles.some((candidate) => candidate?.replaceAll("\\'", "'").includes(title))
    assert.ok(found, `${file} has no test with "${title}" in its title`)
  }
})

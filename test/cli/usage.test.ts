import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { commandHelp, overview, usage } from '../../src/cli/help.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { fixedPort } from '../fixed-port.ts'
import { ADMIN_KEY, startHarness } from '../harness.ts'
import { runCli } from './run-cli.ts'

describe('help', () => {
  test('names every command that needs no running gateway', () => {
    const said = /All but (.*?) talk to a running gateway/s.exec(overview(commands()))?.[1] ?? ''
    const named = said.split(/, | and /).map((name) => name.trim().replace(/\s+/g, ' '))
    const local = commands().filter(({ isRemote }) => !isRemote)
    assert.deepEqual(named.sort(), local.map(({ name }) => name).sort())
  })

  for (const command of commands()) {
    test(`${command.name} --help has its usage and an example of itself`, () => {
      const help = commandHelp(command)
      assert.ok(help.includes(usage(command)))
      assert.ok(
        command.examples.some((example) => example.includes(`switchyard ${command.name}`)),
        help,
      )
      assert.doesNotMatch(help, /undefined|\[object/)
      const [word = '', next] = command.name.split(' ')
      const line = overview(commands()).match(new RegExp(`^  ${word} .*`, 'm'))?.[0] ?? ''
      assert.ok(line.includes(next ?? command.summary), `${command.name} is not in the help: ${line}`)
    })
  }

  test('says what to type where switchyard is not a command', () => {
    const clone = 'npm run -s switchyard --'
    for (const help of [overview(commands(), clone), ...commands().map((command) => commandHelp(command, clone))])
      assert.match(help, /\nFor "switchyard", type here: {2}npm run -s switchyard --\n$/)
    assert.match(overview(commands(), clone), /\nTry: {2}npm run demo\n/)
    assert.match(overview(commands(), 'npx switchyard'), /\nTry: {2}npx switchyard demo\n/)
    assert.doesNotMatch(overview(commands(), 'switchyard'), /type here/)
  })

  test('is printed by the command line itself and ends with 0', async () => {
    for (const args of [['--help'], ['keys', 'create', '--help'], ['keys', '--help'], ['plan', '-h'], []]) {
      const { code, stdout, stderr } = await runCli(args)
      assert.equal(code, 0, args.join(' '))
      assert.match(stdout, /switchyard /)
      assert.equal(stderr, '')
    }
  })

  test('every operation has a command, but signing in and out, which are for browsers', () => {
    const names = new Set(commands().map(({ name }) => name))
    const renamed: Record<string, string> = {
      'usage.get': 'usage',
      'usage.focus': 'export focus',
      'performance.get': 'performance',
      'status.get': 'status',
      'chat.try': 'try',
      'audit.restore': 'restore',
      'budgets.list': 'budgets',
      'verify.ledger': 'verify',
      'reconciliation.get': 'reconcile',
      'reconciliation.correct': 'reconcile correct',
      'reconciliation.export': 'reconcile export',
      'reports.import': 'reconcile import',
      'months.list': 'months',
      'months.close': 'close',
      'explain.request': 'explain',
      'config.plan': 'plan',
      'config.apply': 'apply',
      'config.export': 'export',
    }
    for (const [name, { isPublic }] of Object.entries(CONTRACT)) {
      assert.equal(names.has(renamed[name] ?? name.replaceAll('.', ' ')), !isPublic, name)
    }
  })
})

test('docs/cli.md lists exactly the commands there are', () => {
  const rows = [...readFileSync('docs/cli.md', 'utf8').matchAll(/^\| `([a-z-]+)` \| (.*?) \|/gm)]
  const shown = rows.flatMap(([, noun = '', cell = '']) =>
    cell.split(', ').map((verb) => (verb === '–' ? noun : `${noun} ${verb.replaceAll('`', '')}`)),
  )
  assert.deepEqual(
    shown.toSorted(),
    commands()
      .map(({ name }) => name)
      .toSorted(),
  )
})

describe('called wrongly: one line on standard error, exit code 2', () => {
  const cases: [string[], RegExp][] = [
    [['nonsense'], /there is no command 'nonsense'/],
    [
      ['keys', 'nonsense'],
      /'keys' has list, create, adopt, adopt-many, get, update, opening-spend, litellm-master, rotate, values, revoke-value, pause, resume, revoke, not 'nonsense'/,
    ],
    [['keys', 'create'], /NAME is missing/],
    [['keys', 'create', 'a', 'b'], /takes no argument 'b'/],
    [['keys', 'create', 'with blank'], /name: /],
    [['keys', 'list', '--nonsense'], /--nonsense/],
    [['keys', 'list', '--limit', 'many'], /limit/],
    [['keys', 'create', 'a', '--expires-in', 'soon'], /--expires-in: .*90d/],
    [['keys', 'list', '--url', 'ftp://x'], /ftp:\/\/x/],
    [['routes', 'put', 'a'], /chain/],
    [['routes', 'put', 'a', '-e', 'model'], /PROVIDER\/MODEL/],
    [['routes', 'put', 'a', '-e', 'p/m,speed=1'], /speed=1/],
    [['routes', 'put', 'a', '-f', 'no-such-file'], /no-such-file: there is no such file/],
    [['registry', 'get', 'model'], /PROVIDER\/MODEL/],
    [['completion', 'tcsh'], /one of bash, zsh, fish/],
    [['requests', 'list', '--since', 'yesterday'], /--since/],
    [['migrate', '--to', 'postgres://u@h/d'], /--from sqlite:DATA_DIR is missing/],
    [['migrate', '--from', 'sqlite:./data'], /--to postgres:\/\/USER@HOST\/DATABASE is missing/],
    [['migrate', '--from', './data', '--to', 'postgres://u@h/d'], /--from is sqlite: and the data folder/],
    [['migrate', '--from', 'sqlite:package.json', '--to', 'postgres://u@h/d'], /its switchyard\.db/],
    [
      ['migrate', '--from', 'sqlite:./data', '--to', 'mysql://u:secret@h/d'],
      /--to is the address of a database, (?!.*secret)/,
    ],
    [['serve', 'now'], /takes no argument 'now'/],
  ]
  for (const [args, message] of cases) {
    test(args.join(' '), async () => {
      const { code, stderr, stdout } = await runCli(args, { environment: { ADMIN_KEY } })
      assert.equal(code, 2, stderr)
      assert.match(stderr, message)
      assert.match(stderr, /^switchyard: [^\n]+\n$/)
      assert.equal(stdout, '')
    })
  }

  test('a group alone lists its commands', async () => {
    const { code, stdout } = await runCli(['keys'])
    assert.equal(code, 2)
    assert.match(stdout, /switchyard keys rotate /)
  })
})

describe('what goes wrong is told with the next step', () => {
  test('no admin key', async () => {
    const { code, stderr } = await runCli(['keys', 'list'])
    assert.equal(code, 2)
    assert.match(stderr, /set ADMIN_KEY/)
  })

  test('nobody there', async () => {
    const url = `http://127.0.0.1:${await fixedPort()}`
    const { code, stderr } = await runCli(['keys', 'list', '--url', url], { environment: { ADMIN_KEY } })
    assert.equal(code, 1)
    assert.match(stderr, /cannot reach http:\/\/127\.0\.0\.1:\d+: .*Start it with: \S.* serve;/)
  })

  test('somebody else there', async () => {
    const server = createServer((_request, response) => response.end('<html>')).listen(0)
    after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stderr } = await runCli(['keys', 'list', '--url', url], { environment: { ADMIN_KEY } })
    assert.equal(code, 1)
    assert.match(stderr, /is it a Switchyard gateway\?/)
  })

  test('a wrong key, and one from a file', async () => {
    const harness = await startHarness({ config: '' })
    try {
      const wrong = await runCli(['keys', 'list', '--url', harness.url], {
        environment: { ADMIN_KEY: 'gw_admin_wrong' },
      })
      assert.equal(wrong.code, 1)
      assert.match(wrong.stderr, /Set ADMIN_KEY or use --admin-key-file/)
      const path = join(mkdtempSync(join(tmpdir(), 'switchyard-cli-')), 'key')
      writeFileSync(path, `${ADMIN_KEY}\n`)
      const filed = await runCli(['keys', 'list', '--url', harness.url, '--admin-key-file', path])
      assert.equal(filed.code, 0, filed.stderr)
      assert.ok(!filed.stdout.includes('\u001b'), 'no colour without a terminal')
      const missing = await runCli(['keys', 'list', '--admin-key-file', `${path}-not`])
      assert.equal(missing.code, 2)
    } finally {
      await harness.stop()
    }
  })
})

import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { parse } from 'yaml'
import { WRITTEN_SETUPS } from '../../../src/cli/connect/written-agent-setups.ts'
import { AGENT_SETUPS } from '../../../src/domain/wording/agent-setups.ts'
import { startHarness } from '../../harness.ts'
import { cliOf, type RunOptions } from '../run-cli.ts'

const CONFIG =
  'workspaces: { default: { streaming: true, routes: { fast: { chain: [{ provider: openai, model: gpt-4o }] } } } }'
const harness = await startHarness({ config: CONFIG })
after(() => harness.stop())
const cli = cliOf(() => harness.url)
const KEY = 'gw_live_0123456789abcdefghij0123456789ab'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(harness.folder, 'home-'))
})
const read = (path: string) => readFileSync(join(home, path), 'utf8')
const modeOf = (path: string) => (statSync(join(home, path)).mode & 0o777).toString(8)
function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
  chmodSync(join(home, path), mode)
}
const connect = (line: string, { environment, ...more }: RunOptions = {}) =>
  cli(`connect ${line}`, { ...more, environment: { HOME: home, ...environment } })
const write = (line: string, options?: RunOptions) => connect(`${line} --model fast --write --yes`, options)
const writeKey = (tool: string) => write(`${tool} --key-file -`, { input: `${KEY}\n` })
const backupsOf = (path: string) =>
  readdirSync(dirname(join(home, path))).filter((name) => name.startsWith(`${path.split('/').at(-1)}.backup-`))

/** Where each tool's file is, and what is in it with a key and without. */
const BASE = 'http://gateway.example'
const CLAUDE = {
  ANTHROPIC_BASE_URL: BASE,
  ANTHROPIC_MODEL: 'fast',
  ANTHROPIC_DEFAULT_HAIKU_MODEL: 'fast',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
}
const CODEX = `model = "fast"
model_provider = "switchyard"

[model_providers.switchyard]
name = "Switchyard"
base_url = "${BASE}/v1"
env_key = "SWITCHYARD_KEY"
wire_api = "responses"
`
const MODEL = {
  name: 'fast',
  provider: 'openai',
  model: 'fast',
  apiBase: `${BASE}/v1`,
  apiKey: `$\{{ secrets.SWITCHYARD_KEY }}`,
  roles: ['chat', 'edit', 'apply'],
}
const EXPECTED: Readonly<Record<string, (folder: string) => Record<string, unknown>>> = {
  'claude-code': () => ({ '.claude/settings.json': { env: { ...CLAUDE, ANTHROPIC_AUTH_TOKEN: KEY } } }),
  codex: () => ({ '.codex/config.toml': CODEX, '.codex/.env': `SWITCHYARD_KEY=${KEY}\n` }),
  'codex-base-url': () => ({
    '.codex/config.toml': `model = "fast"\nmodel_provider = "openai"\nopenai_base_url = "${BASE}/v1"\n`,
    '.codex/auth.json': { auth_mode: 'apikey', OPENAI_API_KEY: KEY },
  }),
  'gemini-cli': () => ({
    '.gemini/settings.json': { security: { auth: { selectedType: 'gemini-api-key' } } },
    '.gemini/.env': `GOOGLE_GEMINI_BASE_URL=${BASE}\nGEMINI_API_KEY=${KEY}\nGEMINI_MODEL=fast\n`,
  }),
  opencode: (folder) => ({
    '.config/opencode/opencode.json': {
      provider: {
        switchyard: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Switchyard',
          options: { baseURL: `${BASE}/v1`, apiKey: `{file:${folder}/.config/opencode/switchyard.key}` },
          models: { fast: { name: 'fast' } },
        },
      },
      model: 'switchyard/fast',
    },
    '.config/opencode/switchyard.key': `${KEY}\n`,
  }),
  continue: () => ({
    '.continue/config.yaml': { name: 'Switchyard', version: '0.0.1', schema: 'v1', models: [MODEL] },
    '.continue/.env': `SWITCHYARD_KEY=${KEY}\n`,
  }),
  cline: () => ({
    '.cline/data/settings/providers.json': {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      providers: {
        'openai-compatible': {
          settings: { provider: 'openai-compatible', apiKey: KEY, model: 'fast', baseUrl: `${BASE}/v1` },
          updatedAt: '1970-01-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    },
  }),
  aider: () => ({
    '.aider.conf.yml': {
      model: 'openai/fast',
      'weak-model': 'openai/fast',
      'openai-api-base': `${BASE}/v1`,
      'openai-api-key': KEY,
    },
  }),
}

function leavesOf(content: unknown): string[] {
  if (typeof content === 'object' && content !== null) return Object.values(content).flatMap(leavesOf)
  return [String(content)]
}

const contentOf = (path: string) => (/\.(json|ya?ml)$/.test(path) ? parse(read(path)) : read(path))

describe('switchyard connect TOOL --write', () => {
  // Where the printed lines are a file, or name each of its values.
  for (const tool of ['codex', 'codex-base-url', 'opencode', 'aider', 'continue', 'claude-code', 'gemini-cli']) {
    test(`${tool}: what is printed says the same as what is written`, () => {
      const lines = AGENT_SETUPS.find(({ name }) => name === tool)?.lines({ url: BASE, key: KEY, model: 'fast' }) ?? ''
      const contents = Object.values(EXPECTED[tool]?.('') ?? {})
      const texts = contents.flatMap((content) =>
        typeof content === 'string' ? content.trim().split('\n') : leavesOf(content),
      )
      for (const line of texts) {
        // The key is in a place of its own.
        if (/KEY|switchyard\.key/.test(line) || line === KEY) continue
        assert.ok(lines.includes(line.replace(/^(\w+)=/, '')), `${line} in\n${lines}`)
      }
    })
  }

  // Codex refuses a block called like one of its own, and asks one named "OpenAI" for what only OpenAI does.
  test('no block that is printed or written is one that Codex takes for its own', () => {
    const printed = AGENT_SETUPS.flatMap(({ lines, helperLines }) => [
      lines({ url: BASE, key: KEY, model: 'fast' }),
      helperLines?.({ url: BASE, model: 'fast', command: ['switchyard', 'token'] }) ?? '',
    ])
    const texts = [...printed, CODEX].join('\n')
    const names = [...texts.matchAll(/^(?:\[model_providers\.([^.\]]+)|name = "(.*)")/gm)].map(
      (match) => match[1] ?? match[2],
    )
    assert.deepEqual(new Set(names), new Set(['switchyard', 'Switchyard']))
  })

  test('each tool is written, or has no file', () => {
    assert.deepEqual(Object.keys(EXPECTED), Object.keys(WRITTEN_SETUPS))
    const others = AGENT_SETUPS.map(({ name }) => name).filter((name) => !(name in EXPECTED))
    assert.deepEqual(others, ['cursor', 'open-webui'])
  })

  for (const [tool, expected] of Object.entries(EXPECTED)) {
    test(`${tool}: writes its files, and the second time nothing`, async () => {
      const line = `${tool} --gateway-url ${BASE}/ --key-file -`
      const first = await write(line, { input: `${KEY}\n` })
      assert.equal(first.code, 0, first.stderr)
      assert.ok(!`${first.stdout}${first.stderr}`.includes(KEY), 'the key is not shown')
      for (const [path, content] of Object.entries(expected(home))) {
        assert.deepEqual(contentOf(path), content, path)
        assert.equal(modeOf(path), '600', path)
        assert.deepEqual(backupsOf(path), [], 'there was nothing to keep')
      }
      for (const again of [line, `${tool} --gateway-url ${BASE}`]) {
        const second = await write(again, { input: KEY })
        assert.equal(second.code, 0, second.stderr)
        assert.match(second.stderr, /nothing to change/)
        for (const path of Object.keys(expected(home))) assert.deepEqual(backupsOf(path), [])
      }
    })
  }

  test('a file keeps what else is in it, its mode where it holds no key, and is kept beside itself', async () => {
    const before = '# mine\nmodel = "o4" # slow\n\n[mcp_servers.docs]\ncommand = "docs"\n'
    put('.codex/config.toml', before, 0o640)
    const { code, stderr } = await writeKey('codex')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /model = "fast" {2}\(was "o4"\)/)
    const after = read('.codex/config.toml')
    assert.ok(after.startsWith('# mine\nmodel = "fast" # slow\nmodel_provider = "switchyard"\n\n[mcp_servers.docs]\n'))
    assert.equal(modeOf('.codex/config.toml'), '640')
    const [backup = ''] = backupsOf('.codex/config.toml')
    assert.equal(read(`.codex/${backup}`), before)
    assert.equal(modeOf(`.codex/${backup}`), '640')
  })

  test('a file that gets a key is for its owner only, and the one before is shown nowhere', async () => {
    put('.claude/settings.json', '{"env": {"ANTHROPIC_AUTH_TOKEN": "sk-before"}, "hooks": {}}', 0o644)
    const { code, stderr } = await writeKey('claude-code')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /another key was there/)
    assert.doesNotMatch(stderr, /sk-before/)
    assert.equal(modeOf('.claude/settings.json'), '600')
    assert.deepEqual(contentOf('.claude/settings.json').hooks, {})
  })

  test('without a key the variable is named, and a key that is there stays', async () => {
    const first = await write('opencode')
    assert.match(first.stderr, /reads the gateway key from the variable SWITCHYARD_KEY/)
    assert.match(read('.config/opencode/opencode.json'), /"apiKey": "\{env:SWITCHYARD_KEY\}"/)
    put('.claude/settings.json', '{"env": {"ANTHROPIC_AUTH_TOKEN": "mine"}}')
    assert.equal((await write('claude-code')).code, 0)
    assert.equal(contentOf('.claude/settings.json').env.ANTHROPIC_AUTH_TOKEN, 'mine')
  })

  test('another login of Codex is named before it is replaced, and kept beside it', async () => {
    put('.codex/auth.json', '{"auth_mode": "chatgpt", "tokens": {"id_token": "secret-token"}}', 0o600)
    const { code, stderr } = await writeKey('codex-base-url')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /auth_mode = "apikey" {2}\(was "chatgpt"\)/)
    assert.doesNotMatch(stderr, /secret-token/)
    assert.match(read(`.codex/${backupsOf('.codex/auth.json')[0]}`), /secret-token/)
  })

  test('a new key is made at the end, written and shown nowhere', async () => {
    const { code, stdout, stderr } = await write('codex --new-key written --budget 20/month')
    assert.equal(code, 0, stderr)
    const [, key = ''] = /^SWITCHYARD_KEY=(gw_\w+)$/m.exec(read('.codex/.env')) ?? []
    assert.ok(!`${stdout}${stderr}`.includes(key))
    assert.equal((await harness.get('/v1/models', { authorization: `Bearer ${key}` })).status, 200)
  })

  test('as JSON it says which files, never the key', async () => {
    const { code, stdout, stderr } = await write('gemini-cli --key-file - --json', { input: KEY })
    assert.equal(code, 0, stderr)
    const { files, ...rest } = JSON.parse(stdout)
    assert.deepEqual(rest, { tool: 'gemini-cli', workspace: 'default', url: harness.url, model: 'fast' })
    assert.deepEqual(
      files.map((file: { path: string }) => file.path),
      [join(home, '.gemini/settings.json'), join(home, '.gemini/.env')],
    )
    assert.ok(!stdout.includes(KEY))
  })

  for (const [tool, environment, path] of [
    ['codex', { CODEX_HOME: 'own' }, 'own/config.toml'],
    ['claude-code', { CLAUDE_CONFIG_DIR: 'own' }, 'own/settings.json'],
    ['gemini-cli', { GEMINI_CLI_HOME: 'own' }, 'own/.gemini/settings.json'],
    ['opencode', { XDG_CONFIG_HOME: 'own' }, 'own/opencode/opencode.json'],
    ['continue', { CONTINUE_GLOBAL_DIR: 'own' }, 'own/config.yaml'],
  ] as const) {
    test(`${tool}: ${Object.keys(environment)[0]} says where`, async () => {
      const own = Object.fromEntries(Object.keys(environment).map((name) => [name, join(home, 'own')]))
      assert.equal((await write(tool, { environment: own })).code, 0)
      assert.ok(existsSync(join(home, path)))
    })
  }

  test('opencode.jsonc is edited where it is there', async () => {
    put('.config/opencode/opencode.jsonc', '{\n  // mine\n  "theme": "dark", // too\n}\n')
    assert.equal((await write('opencode')).code, 0)
    assert.match(
      read('.config/opencode/opencode.jsonc'),
      /^\{\n {2}\/\/ mine\n {2}"theme": "dark", \/\/ too\n {2}"provider": \{/,
    )
    assert.ok(!existsSync(join(home, '.config/opencode/opencode.json')))
  })

  test('a link is named, and stays one', async () => {
    put('dotfiles/codex.toml', 'model = "o4"\n')
    mkdirSync(join(home, '.codex'))
    symlinkSync(join(home, 'dotfiles/codex.toml'), join(home, '.codex/config.toml'))
    const { code, stderr } = await write('codex')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /config\.toml \(a link: .*dotfiles\/codex\.toml is written\)/)
    assert.match(read('dotfiles/codex.toml'), /^model = "fast"\n/)
    assert.equal(readFileSync(join(home, '.codex/config.toml'), 'utf8'), read('dotfiles/codex.toml'))
    assert.equal(backupsOf('dotfiles/codex.toml').length, 1)
    rmSync(join(home, 'dotfiles/codex.toml'))
    assert.match((await write('codex')).stderr, /is a link to a file that is not there/)
  })

  for (const [tool, path, text, words] of [
    ['codex', '.codex/config.toml', 'model = "o4"\nbroken\n', /config\.toml: line 2: = was expected/],
    ['gemini-cli', '.gemini/settings.json', '{\n"a": 1\n"b": 2}', /settings\.json: line 3: a comma or } was expected/],
    ['continue', '.continue/config.yaml', 'a: 1\nb: [\n', /config\.yaml: line 3: /],
  ] as const) {
    test(`${tool}: a broken file is named with its line, and nothing is touched`, async () => {
      put(path, text)
      const { code, stderr } = await write(`${tool} --new-key broken-${tool}`)
      assert.equal(code, 1)
      assert.match(stderr, words)
      assert.equal(read(path), text)
      assert.deepEqual(readdirSync(dirname(join(home, path))), [path.split('/').at(-1)])
      const keys = await cli('keys list --json')
      assert.ok(!keys.stdout.includes(`broken-${tool}`), 'no key was made')
    })
  }

  test('without a terminal it wants --yes, and writes nothing', async () => {
    const { code, stderr } = await connect('codex --model fast --write')
    assert.equal(code, 2)
    assert.match(stderr, /no terminal to ask on. Add --yes/)
    assert.deepEqual(readdirSync(home), [])
  })

  for (const [answer, code] of [
    ['y', 0],
    ['n', 1],
  ] as const) {
    test(`on a terminal it asks, and ${answer} counts`, async () => {
      const asked = await connect('codex --model fast --write', { onTerminal: true, input: `${answer}\n` })
      assert.equal(asked.code, code, asked.stdout)
      assert.match(asked.stdout, /Write this\? \[y\/N\]/)
      assert.equal(existsSync(join(home, '.codex/config.toml')), answer === 'y')
    })
  }

  test('a tool without a file says so and prints what to paste', async () => {
    const { code, stdout, stderr } = await write('cursor')
    assert.equal(code, 0)
    assert.match(stderr, /Cursor has no file of settings/)
    assert.match(stdout, /Override OpenAI Base URL/)
    assert.deepEqual(readdirSync(home), [])
  })

  for (const [line, words] of [
    ['codex --model fast --key-file x', /--key-file is for --write/],
    ['codex --model fast --yes', /--yes is for --write/],
    ['codex --model fast --write --oidc https://login.example.com --client-id a', /with --oidc, paste/],
    ['codex --model fast --write --new-key a --key-file x', /not both/],
    ['codex --model fast --write --yes --key-file -', /does not hold a gateway key/],
  ] as const) {
    test(`${line}: says what is wrong`, async () => {
      const { code, stderr } = await connect(line)
      assert.equal(code, 2)
      assert.match(stderr, words)
    })
  }
})

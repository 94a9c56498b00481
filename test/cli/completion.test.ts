import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { completionScript } from '../../src/cli/completion.ts'
import { runCli } from './run-cli.ts'

/** What bash offers for a line, the cursor at its end. */
function completed(line: string): string[] {
  const script = `
    source /dev/stdin <<'END_OF_SCRIPT'
${completionScript('bash', commands())}
END_OF_SCRIPT
    COMP_WORDS=(${line.replaceAll(/ $/g, " ''")})
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _switchyard
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

describe('bash completes', () => {
  const cases: [string, string[]][] = [
    ['switchyard ro', ['routes']],
    ['switchyard routes ex', ['explain']],
    [
      'switchyard keys ',
      [
        ...['list', 'create', 'adopt', 'adopt-many', 'get', 'update', 'opening-spend', 'litellm-master', 'rotate'],
        ...['values', 'revoke-value', 'pause', 'resume', 'revoke'],
      ],
    ],
    ['switchyard keys rotate --over', ['--overlap', '--overlap-seconds']],
    [
      'switchyard usage --by ',
      ['model', 'route', 'key', 'provider', 'code', 'endpoint', 'user', 'session', 'agent', 'kind', 'project'],
    ],
    ['switchyard requests export --format ', ['ndjson', 'csv']],
    ['switchyard completion z', ['zsh']],
    ['switchyard plan --f', ['--file']],
  ]
  for (const [line, words] of cases) test(line, () => assert.deepEqual(completed(line), words))

  test('every first word', () => {
    const first = new Set(commands().map(({ name }) => name.split(' ')[0]))
    assert.deepEqual(new Set(completed('switchyard ')), first)
  })
})

test('the scripts are printed, and bash can read its own', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCli(['completion', shell])
    assert.equal(code, 0)
    assert.match(stdout, /rotate/)
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: stdout })
  }
})

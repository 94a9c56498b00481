import { spawn } from 'node:child_process'
import { PROGRAM } from '../built-program.ts'
import { COMPILE_CACHE } from '../compile-cache.ts'
import { ADMIN_KEY, type Json } from '../harness.ts'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
  /** What it printed, as JSON. */
  json(): Json
}

export interface RunOptions {
  environment?: Record<string, string>
  input?: string
  folder?: string
  /** Runs it on a pseudo-terminal, whose one screen is `stdout`. */
  onTerminal?: boolean
}

/** The real command line as a process, with nothing in its environment but what the test says. */
export function runCli(
  args: readonly string[],
  { environment = {}, input = '', folder, onTerminal = false }: RunOptions = {},
): Promise<Ran> {
  const line = [process.execPath, PROGRAM, ...args]
  const [program = '', ...rest] = onTerminal ? ['script', '-qec', line.join(' '), '/dev/null'] : line
  const child = spawn(program, rest, {
    env: { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE, ...environment },
    ...(folder !== undefined && { cwd: folder }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr, json: () => JSON.parse(stdout) }))
  })
}

/** Against one gateway, with its admin key. */
export function cliOf(url: () => string) {
  return (args: string, options: RunOptions = {}) =>
    runCli(words(args), {
      ...options,
      environment: { SWITCHYARD_URL: url(), ADMIN_KEY, ...options.environment },
    })
}

/** As a shell would take them apart; quotes keep blanks. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
}

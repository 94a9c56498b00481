// First: it hears signals from then on.
import './stop-signal.ts'
import { ConfigError } from '../app/config.ts'
import { version } from '../app/version.ts'
import { ListenError } from '../http/listen-problem.ts'
import { CliError } from './cli-error.ts'
import { print } from './print.ts'

/** Exit codes: 0 success, 1 failure, 2 usage or configuration error, 3 the plan has changes. */
async function main(args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === '--version' || first === '-v') return print(version())
  // All the other commands would stay in memory for as long as it serves.
  if (first === 'serve' && args.length === 1) return (await import('./serve.ts')).serve(process.env).then(() => 0)
  return (await import('./run-command.ts')).runCommand(args)
}

/** One line for what the operator can fix; a stack trace only for our own bugs. */
function fail(error: unknown): void {
  // By name, as below: the class itself would bring all commands along.
  if (error instanceof Error && error.name === 'Shown') return
  const { message, exitCode } = failureOf(error)
  process.stderr.write(`switchyard: ${message}\n`)
  process.exit(exitCode)
}

function failureOf(error: unknown): { message: string; exitCode: number } {
  if (!(error instanceof Error)) return { message: String(error), exitCode: 1 }
  const { message } = error
  if (error instanceof CliError) return { message, exitCode: error.exitCode }
  if (error instanceof ConfigError) return { message, exitCode: 2 }
  if (error instanceof ListenError) return { message, exitCode: error.isConfiguration ? 2 : 1 }
  // By name: the class itself would bring the whole gateway along.
  if (error.name === 'StoreError') return { message, exitCode: 1 }
  return { message: error.stack ?? message, exitCode: 1 }
}

// Reading only the beginning (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
}, fail)

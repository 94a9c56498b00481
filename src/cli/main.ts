import { parseArgs } from 'node:util'
import { demo } from '../../demo/demo.ts'
import { ConfigError } from '../config.ts'
import { StoreError } from '../store/store-error.ts'
import { version } from '../version.ts'
import { serve } from './serve.ts'

const HELP = `switchyard, a self-hosted LLM gateway

  switchyard serve       start the gateway (settings: docs/configuration.md)
  switchyard demo        start it in front of simulated providers, with traffic
  switchyard --version   print the version
  switchyard --help      print this

Try:  switchyard demo
`

/** Exit codes: 0 fine, 1 runtime failure, 2 bad configuration or usage. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
  })
  const [command, ...rest] = positionals
  if (values.version === true) return print(version())
  if (values.help === true || command === undefined) return print(HELP)
  if (rest.length > 0) throw new ConfigError(`'${command}' takes no argument '${rest[0]}'; see switchyard --help`)
  if (command === 'serve') return serve(process.env)
  if (command === 'demo') return demo(process.env)
  throw new ConfigError(`there is no command '${command}'; see switchyard --help`)
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** One line for what the operator can mend; the whole stack only for a fault of ours. */
function fail(error: unknown): never {
  const isUsage = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (error instanceof ConfigError || isUsage) {
    process.stderr.write(`switchyard: ${(error as Error).message}\n`)
    process.exit(2)
  }
  if (isUnknownHost(error)) {
    process.stderr.write(`switchyard: HOST: ${error.message}\n`)
    process.exit(2)
  }
  if (error instanceof StoreError || isListenError(error)) {
    process.stderr.write(`switchyard: ${error.message}\n`)
    process.exit(1)
  }
  process.stderr.write(`switchyard: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exit(1)
}

/** Names are only looked up to listen here: those of providers and databases have their own errors. */
function isUnknownHost(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo'
}

function isListenError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}

main().catch(fail)

import type { z } from 'zod'
import { proxyLogin } from '../../domain/proxy-url.ts'
import type { ProviderKinds, ProviderTest, ProviderTrial } from '../../management/contract/providers.ts'
import type { AnyInput } from '../api-client.ts'
import { CliError } from '../cli-error.ts'
import { type Given, type Refinement, text, texts } from '../command.ts'
import { printRows } from '../print-reply.ts'
import { readInput } from '../read-input.ts'

/** Secrets come from variables and files: a command line is visible in the list of processes. */
const PUT_OPTIONS: Refinement['options'] = {
  'api-key-env': { type: 'string', placeholder: 'VARIABLE', help: 'Variable that holds its key' },
  setting: {
    type: 'string',
    multiple: true,
    placeholder: 'NAME=VALUE',
    help: 'A setting of its family (see switchyard providers kinds), as text or JSON; settings not given are removed',
  },
  'credential-env': {
    type: 'string',
    multiple: true,
    placeholder: 'NAME=VARIABLE',
    help: 'A further secret, from the variable that holds it; secrets not given are removed',
  },
  'credential-file': {
    type: 'string',
    multiple: true,
    placeholder: 'NAME=FILE',
    help: 'The same, from a file',
  },
  'proxy-env': {
    type: 'string',
    placeholder: 'VARIABLE',
    help: 'Variable that holds its proxy address, if that contains a password',
  },
  'ca-file': { type: 'string', placeholder: 'FILE', help: 'Certificate authorities to trust, as PEM' },
}

async function refinePut(given: Given, input: AnyInput): Promise<AnyInput> {
  const proxy = text(given, 'proxy')
  if (proxy !== undefined && (proxyLogin(proxy)?.password ?? '') !== '') {
    throw new CliError('--proxy: a password does not belong on the command line; use --proxy-env', 2)
  }
  const settings = texts(given, 'setting').map((written) => pairOf('--setting', written))
  const credentials = [
    ...texts(given, 'credential-env').map((written) => {
      const [name, variable] = pairOf('--credential-env', written)
      return [name, variableOf(given, '--credential-env', variable)] as const
    }),
    ...(await Promise.all(
      texts(given, 'credential-file').map(async (written) => {
        const [name, file] = pairOf('--credential-file', written)
        return [name, (await readInput(file)).trim()] as const
      }),
    )),
  ]
  const key = text(given, 'api-key-env')
  const proxyVariable = text(given, 'proxy-env')
  const file = text(given, 'ca-file')
  const body = {
    ...(input.body as object),
    ...(key !== undefined && { api_key: variableOf(given, '--api-key-env', key) }),
    ...(settings.length > 0 && {
      settings: Object.fromEntries(settings.map(([name, value]) => [name, settingOf(value)])),
    }),
    ...(credentials.length > 0 && { credentials: Object.fromEntries(credentials) }),
    ...(proxyVariable !== undefined && { proxy: variableOf(given, '--proxy-env', proxyVariable) }),
    ...(file !== undefined && { ca: await readInput(file) }),
  }
  return { ...input, body }
}

function pairOf(option: string, written: string): [string, string] {
  const at = written.indexOf('=')
  if (at < 1) throw new CliError(`${option} ${written}: expected NAME=…`, 2)
  return [written.slice(0, at), written.slice(at + 1)]
}

function variableOf({ environment }: Given, option: string, name: string): string {
  const value = environment[name]
  if (value === undefined || value === '') throw new CliError(`${option}: the variable ${name} is not set`, 2)
  return value
}

/** What is neither true, false, an object nor a list is text, numbers too: versions and projects look like them. */
function settingOf(written: string): unknown {
  if (!/^(?:true|false|[[{].*)$/s.test(written)) return written
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

function printKinds({ families, presets }: z.output<typeof ProviderKinds>, { output }: Given): void {
  const settings = (schema: Record<string, unknown> | null) => Object.keys((schema?.['properties'] as object) ?? {})
  const kinds = [
    ...families.map((family) => ({ kind: 'family', ...family, family: family.name, base_url: null })),
    ...presets.map((preset) => ({ kind: 'preset', ...preset, settings: null, credentials: [] })),
  ]
  const rows = kinds.map(({ settings: schema, ...row }) => ({ ...row, settings: settings(schema) }))
  printRows(rows, output, ['kind', 'name', 'family', 'base_url', 'settings', 'credentials'])
}

export const providerRefinements: Readonly<Record<string, Refinement>> = {
  'providers.list': {
    examples: ['switchyard providers list'],
    columns: ['name', 'family', 'preset', 'base_url', 'has_api_key', 'on_caller_left', 'managed_by', 'updated_at'],
  },
  'providers.kinds': { examples: ['switchyard providers kinds'], print: printKinds },
  'providers.put': {
    examples: [
      'switchyard providers put local --family FAMILY --base-url http://127.0.0.1:11434/v1',
      'switchyard providers put cloud --family FAMILY --base-url https://llm.example/v1 --api-key-env CLOUD_KEY',
      'switchyard providers put fast --preset PRESET --api-key-env FAST_KEY --on-caller-left drain',
      'switchyard providers put cloud --family FAMILY --setting region=eu-west-1 --credential-env NAME=CLOUD_SECRET',
      'switchyard providers put cloud --family FAMILY --proxy http://proxy.internal:3128 --ca-file ./authority.pem',
    ],
    omit: ['api-key', 'ca'],
    options: PUT_OPTIONS,
    refine: refinePut,
  },
  'providers.get': { examples: ['switchyard providers get local'] },
  'providers.price-percent': {
    examples: [
      'switchyard providers price-percent cloud --price-percent 110',
      'switchyard providers price-percent cloud --price-percent null',
    ],
  },
  'providers.routes': { examples: ['switchyard providers routes local'], columns: ['workspace', 'alias'] },
  'providers.delete': { examples: ['switchyard providers delete local'] },
  'providers.try': {
    examples: [
      'switchyard providers try cloud --family FAMILY --base-url https://llm.example/v1 --api-key-env CLOUD_KEY',
    ],
    omit: ['api-key', 'ca'],
    options: PUT_OPTIONS,
    refine: refinePut,
    print({ ok, message, call }: z.output<typeof ProviderTrial>, { output }) {
      const cost = call === null ? '' : ` (${call.latency_ms} ms, ${call.cost_usd ?? 'unknown'} USD)`
      output.line(`${ok ? output.good('✓') : output.bad('✗')} ${message}${cost}`)
    },
    exitCode: (reply: z.output<typeof ProviderTrial>) => (reply.ok ? 0 : 1),
  },
  'providers.test': {
    examples: ['switchyard providers test local'],
    print(reply: z.output<typeof ProviderTest>, { output }) {
      output.line(`${reply.ok ? output.good('✓') : output.bad('✗')} ${reply.message} (${reply.latency_ms} ms)`)
    },
    exitCode: (reply: z.output<typeof ProviderTest>) => (reply.ok ? 0 : 1),
  },
}

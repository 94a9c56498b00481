import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { baseUrlProblem } from '../domain/base-url.ts'
import { type FileConfig, FileConfigSchema, providerProblem } from '../domain/file-config.ts'
import { problemText } from '../domain/problem-text.ts'
import {
  DEFAULT_ON_CALLER_LEFT,
  isSpeakable,
  type Provider,
  type ProviderKinds,
  SPEAKABLE,
  type Speakable,
} from '../domain/provider.ts'
import { proxyProblem } from '../domain/proxy-url.ts'
import { trustedProxies } from '../http/client-source.ts'
import type { ListenAddress } from '../http/listen-problem.ts'
import { readYaml } from '../store/config-file/read-yaml.ts'
import { PROXY_VARIABLES, proxyNamed } from '../upstream/environment-proxies.ts'
import { OIDC_VARIABLES, oidcProblem } from './oidc-config.ts'
import { STREAM_VARIABLES } from './stream-config.ts'
import { OTEL_VARIABLES } from './telemetry-config.ts'

/** Bad configuration: the process prints this one line and exits with code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const secret = z.string().regex(/^\S{16,}$/, 'at least 16 characters without spaces')
const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `a whole number from ${least} to ${most}`)

const THREADS = /^(?:auto|[1-9]\d{0,2})$/

/** `auto`: one for each core less one, which the main thread and the folds have. */
const servingThreads = z
  .string()
  .regex(THREADS, 'a whole number from 1, or auto')
  .default('1')
  .transform((text, context) => {
    const cores = availableParallelism()
    const threads = text === 'auto' ? Math.max(1, cores - 1) : Number(text)
    if (threads <= cores) return threads
    context.addIssue(`this machine has ${cores} ${cores === 1 ? 'core' : 'cores'}: set ${cores} or less, or auto`)
    return z.NEVER
  })

const redisUrl = z
  .string()
  .regex(/^(redis|valkey)s?:\/\//, 'a redis://, rediss://, valkey:// or valkeys:// address')
  .refine((url) => /^\/?\d*$/.test(URL.parse(url)?.pathname ?? '?'), 'host, port and a database number at the end')
  .optional()

/** Every variable except those of the providers, which their families name. docs/configuration.md lists the same. */
export const SETTINGS = {
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(8080),
  ADMIN_HOST: z.string().min(1).optional(),
  ADMIN_PORT: wholeNumber(0, 65_535).optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'a postgres:// address, or unset for SQLite in DATA_DIR')
    .optional(),
  REDIS_URL: redisUrl,
  CACHE_REDIS_URL: redisUrl,
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'at most 64 letters, digits and . _ : -')
    .default('switchyard'),
  LIMITS_WHEN_DOWN: z.enum(['refuse', 'allow']).optional(),
  LEASE_SECONDS: wholeNumber(1, 3_600).default(10),
  NODE_NAME: z
    .string()
    .regex(/^[\x21-\x7e]{1,100}$/, 'at most 100 visible ASCII characters without spaces')
    .optional(),
  GATEWAY_KEY: secret.optional(),
  ADMIN_KEY: secret.optional(),
  SECRETS_KEY: z
    .string()
    .refine(
      (list) => list.split(',').every((key) => key.trim().length >= 16),
      'keys of at least 16 characters, comma-separated',
    )
    .optional(),
  LITELLM_API: z.enum(['on', 'off']).default('off'),
  SWITCHYARD_CONFIG: z.string().min(1).optional(),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list, context) => {
      const proxies = trustedProxies(list)
      if (proxies === null) context.addIssue('addresses or networks, comma-separated, such as 10.0.0.0/8')
      return proxies ?? z.NEVER
    }),
  ...OIDC_VARIABLES,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  MAX_BODY_BYTES: wholeNumber(1, 1_073_741_824).default(33_554_432),
  MAX_BUFFERED_BYTES: wholeNumber(1, 1_099_511_627_776).default(268_435_456),
  MAX_BUFFERED_BYTES_PER_KEY: wholeNumber(1, 1_099_511_627_776).default(100_663_296),
  MIN_BODY_BYTES_PER_SECOND: wholeNumber(0, 1_073_741_824).default(1_024),
  CACHE_MEMORY_MB: wholeNumber(1, 65_536).default(64),
  DRAIN_SECONDS: wholeNumber(0, 3_600).default(60),
  DRAIN_IDLE_MS: wholeNumber(0, 600_000).default(500),
  DRAIN_GRACE_MS: wholeNumber(0, 600_000).optional(),
  SERVING_THREADS: servingThreads,
  ...STREAM_VARIABLES,
  OVERLOAD_MS: wholeNumber(0, 60_000).default(500),
  REQUEST_RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  OPEN_ROWS_AFTER_SECONDS: wholeNumber(0, 3_600).default(10),
  SPOOL_MAX_ROWS: wholeNumber(10, 1_000_000_000).default(2_000_000),
  ALERTS_EVERY_SECONDS: z
    .string()
    .regex(/^\d{1,4}(\.\d)?$/, 'seconds from 0 to 3600; 0: alerts are off')
    .default('10')
    .transform(Number)
    .refine((seconds) => seconds <= 3600, 'seconds from 0 to 3600; 0: alerts are off'),
  SPOOL_SYNC: z.enum(['normal', 'full']).default('normal'),
  ...OTEL_VARIABLES,
} as const

const Settings = z.object(SETTINGS)
export type Settings = z.infer<typeof Settings>

/** What each thread may have of something that the gateway has once; the main thread counts as one of several. */
export function shareOf(whole: number, threads: number): number {
  return threads === 1 ? whole : Math.floor(whole / (threads + 1))
}

/** What request bodies may take of the process. */
export function bodyBounds(settings: Omit<Settings, 'TRUSTED_PROXIES'>, threads = 1) {
  return {
    maxBodyBytes: settings.MAX_BODY_BYTES,
    bytes: shareOf(settings.MAX_BUFFERED_BYTES, threads),
    bytesPerOwner: shareOf(settings.MAX_BUFFERED_BYTES_PER_KEY, threads),
    bytesPerSecond: settings.MIN_BODY_BYTES_PER_SECOND,
  }
}

/** A provider that the environment alone can set up. */
export interface EnvironmentProvider {
  name: string
  family: string
  apiKey: string | null
  baseUrl: string | null
  speaks?: readonly Speakable[]
}

/** What the environment may set for a provider; declared by its family, so that no provider is named here. */
export interface ProviderVariables {
  family: string
  name: string
  apiKeyVariable: string
  baseUrlVariable: string
  speaksVariable?: string
}

export interface Config {
  settings: Settings
  environmentProviders: EnvironmentProvider[]
  /** Where the file is, or would be. */
  filePath: string
  /** Null without a file. */
  file: { text: string; config: FileConfig } | null
}

export type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_FILE = './switchyard.yaml'

export function readConfig(
  environment: Environment,
  providers: readonly ProviderVariables[],
  kinds: ProviderKinds,
): Config {
  const settings = readSettings(environment)
  checkProxies(environment)
  const path = settings.SWITCHYARD_CONFIG ?? DEFAULT_FILE
  const text = readFile(path, settings.SWITCHYARD_CONFIG !== undefined)
  const environmentProviders = providers.map((provider) => readProvider(provider, environment))
  if (text === null) return { settings, environmentProviders, filePath: path, file: null }
  const config = parseFileConfig(text, path, environment)
  const problem = providerProblem(config, environmentProviders.map(asProvider), kinds)
  if (problem !== null) throw new ConfigError(`${path}: ${problem}`)
  return { settings, environmentProviders, filePath: path, file: { text, config } }
}

export function asProvider(provider: EnvironmentProvider): Provider {
  return { ...provider, headers: {}, onCallerLeft: DEFAULT_ON_CALLER_LEFT }
}

/** An empty variable counts as unset: compose files and shells produce those. */
export function readSettings(environment: Environment): Settings {
  const given = Object.keys(SETTINGS).flatMap((name) => {
    const value = environment[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  const parsed = Settings.safeParse(Object.fromEntries(given))
  // The value itself is not repeated: it may be a key.
  if (!parsed.success) throw new ConfigError(problemText(parsed.error))
  const problem = togetherProblem(parsed.data)
  if (problem !== null) throw new ConfigError(problem)
  return parsed.data
}

/** Conflicts between values that are valid on their own. */
function togetherProblem(settings: Settings): string | null {
  const { REDIS_URL, DATABASE_URL, HOST, PORT, ADMIN_HOST, ADMIN_PORT, SERVING_THREADS } = settings
  const oidc = oidcProblem(settings)
  if (oidc !== null) return oidc
  if (REDIS_URL !== undefined && DATABASE_URL === undefined) {
    return 'REDIS_URL: shared counters need a shared log; also set DATABASE_URL to a postgres:// address'
  }
  if (REDIS_URL !== undefined && SERVING_THREADS > 1) {
    return 'SERVING_THREADS: with REDIS_URL a gateway serves on one thread; unset one of them, or start a gateway for each core'
  }
  if (ADMIN_PORT === undefined) return ADMIN_HOST === undefined ? null : 'ADMIN_HOST: also set ADMIN_PORT'
  const isSame = ADMIN_PORT === PORT && ADMIN_PORT !== 0 && (ADMIN_HOST ?? HOST) === HOST
  return isSame ? 'ADMIN_PORT: set a port other than PORT, or unset it to serve everything on one port' : null
}

const BALANCED_GRACE_MS = 2_000

/**
 * How long calls are still taken after SIGTERM, while /readyz says 503: a balancer needs a look at that before it sends
 * them elsewhere. An embedded gateway that only this machine reaches has none.
 */
export function drainGraceMs(settings: Pick<Settings, 'DRAIN_GRACE_MS' | 'HOST' | 'DATABASE_URL'>): number {
  const { DRAIN_GRACE_MS, HOST, DATABASE_URL } = settings
  const isAlone = DATABASE_URL === undefined && /^(localhost$|127\.|::1$)/.test(HOST)
  return DRAIN_GRACE_MS ?? (isAlone ? 0 : BALANCED_GRACE_MS)
}

/** Where to listen for calls and, if separate, for operators. */
export function portsOf({ HOST, PORT, ADMIN_HOST, ADMIN_PORT }: Settings): {
  calls: ListenAddress
  administration: ListenAddress | null
} {
  return {
    calls: { host: HOST, port: PORT, variables: '' },
    administration:
      ADMIN_PORT === undefined ? null : { host: ADMIN_HOST ?? HOST, port: ADMIN_PORT, variables: 'ADMIN_' },
  }
}

/** One that is not understood must not mean that calls leave without it. */
function checkProxies(environment: Environment): void {
  for (const name of PROXY_VARIABLES) {
    const proxy = proxyNamed(environment[name])
    const problem = proxy === null ? null : proxyProblem(proxy)
    if (problem !== null) throw new ConfigError(`${name}: ${problem}`)
  }
}

function readProvider(variables: ProviderVariables, environment: Environment): EnvironmentProvider {
  const apiKey = environment[variables.apiKeyVariable] || null
  const baseUrl = environment[variables.baseUrlVariable] || null
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigError(`${variables.apiKeyVariable}: a key is visible ASCII without spaces`)
  }
  const problem = baseUrl === null ? null : baseUrlProblem(baseUrl)
  if (problem !== null) throw new ConfigError(`${variables.baseUrlVariable}: ${problem}`)
  const speaks = spokenIn(variables.speaksVariable, environment)
  return { name: variables.name, family: variables.family, apiKey, baseUrl, ...(speaks !== null && { speaks }) }
}

/** Null: nothing is said. */
function spokenIn(variable: string | undefined, environment: Environment): readonly Speakable[] | null {
  const value = (variable === undefined ? undefined : environment[variable]) || null
  if (value === null) return null
  if (value === 'chat') return []
  if (isSpeakable(value)) return [value]
  throw new ConfigError(`${variable}: ${SPEAKABLE.join(', ')} or chat, not '${value}'`)
}

function readFile(path: string, mustExist: boolean): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing && !mustExist) return null
    throw new ConfigError(`${path}: ${missing ? 'there is no such file' : 'cannot be read'}`)
  }
}

export function parseFileConfig(text: string, path: string, environment: Environment): FileConfig {
  const read = readYaml(text, environment)
  if ('problem' in read) throw new ConfigError(`${path}: ${read.problem}`)
  const parsed = FileConfigSchema.safeParse(read.value ?? {})
  if (parsed.success) return parsed.data
  throw new ConfigError(`${path}: ${problemText(parsed.error)}`)
}

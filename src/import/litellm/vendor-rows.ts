import type { JsonObject } from '../../domain/request/call-request.ts'
import {
  type DraftRow,
  isGiven,
  type Params,
  secretReference,
  takeAddress,
  takeHeaders,
  takeKey,
  takeSecret,
  takeText,
  Unmapped,
} from './draft-row.ts'
import { approximate, exact, manual, unsupported } from './notes.ts'
import { MANTLE, PREFIXES, type PrefixRow, WITHOUT_ROW } from './prefixes.ts'
import { currentValue, Reference, variableOf } from './written-value.ts'

export interface MappedTarget {
  row: DraftRow
  /** The model's name at the provider. */
  model: string
  /** Where it differs from what LiteLLM calls. */
  difference: string | null
}

interface Input {
  params: Params
  spec: PrefixRow
  model: string
}

/** What a vendor has beside key, address and headers; it may rename the model. */
interface Part {
  definition: JsonObject
  host?: string | null
  model?: string
  difference?: string
}

/** The row and the model of a deployment; throws `Unmapped` where there is none. */
export function mapTarget(params: Params, prefix: string | null, model: string): MappedTarget {
  if (prefix === null) throw new Unmapped('model', manual('LiteLLM would not know its provider either'))
  const reason = WITHOUT_ROW.get(prefix)
  if (reason !== undefined) throw new Unmapped('model', unsupported(reason))
  if (prefix === MANTLE) throw new Unmapped('model', manual('needs two rows, see Bedrock Mantle in docs/providers.md'))
  const spec = PREFIXES.get(prefix)
  if (spec === undefined)
    throw new Unmapped('model', unsupported(`the provider ${prefix} has no counterpart; add a row`))
  const build = VENDORS[prefix] ?? ((input: Input) => plain(input))
  const part = build({ params, spec, model })
  const kind = spec.preset === undefined ? { family: spec.family } : { preset: spec.preset }
  const headers = takeHeaders(params)
  const definition = { ...kind, ...part.definition, ...(headers && { headers }) }
  const difference = part.difference ?? spec.note ?? null
  return { row: { prefix, definition, host: part.host ?? null }, model: part.model ?? model, difference }
}

function plain({ params, spec }: Input, rewrite?: (address: string) => string): Part {
  const { address, host } = takeAddress(params, spec, rewrite)
  const key = takeKey(params, spec)
  return { definition: { ...(address && { base_url: address }), ...(key && { api_key: key }) }, host }
}

const DEFAULT_AZURE_VERSION = '2025-02-01-preview'
const UNDATED: ReadonlySet<unknown> = new Set(['v1', 'latest', 'preview'])

function azure({ params, spec, model }: Input): Part {
  const { environment, values } = params
  let deployment = model.replace(/^(responses|o_series|gpt5_series)\//, '')
  const { address } = takeAddress(params, spec, (text) => {
    deployment = /\/openai\/deployments\/([^/?]+)/.exec(text)?.[1] ?? deployment
    return text.replace(/\?.*$/, '').replace(/(\/openai(\/.*)?)?\/*$/, '')
  })
  const version = takeText(params, 'api_version', 'settings.api_version') ?? versionFrom(params)
  const current = version instanceof Reference ? currentValue(values['api_version'], environment) : version
  const dated = UNDATED.has(current) ? {} : { path_style: 'azure_deployment', api_version: version }
  const isEntra = isGiven(values['tenant_id']) && isGiven(values['client_id'])
  const definition: JsonObject = { base_url: address }
  if (!isEntra)
    return { definition: { ...definition, api_key: takeKey(params, spec), ...withSettings(dated) }, model: deployment }
  const tenant_id = takeText(params, 'tenant_id', 'settings.tenant_id')
  const client_id = takeText(params, 'client_id', 'settings.client_id')
  const client_secret = takeSecret(params, 'client_secret', 'client_secret')
  return {
    definition: {
      ...definition,
      settings: { ...dated, auth: 'entra', tenant_id, client_id },
      ...(client_secret && { credentials: { client_secret } }),
    },
    model: deployment,
  }
}

function versionFrom({ environment, need }: Params): string | Reference {
  if (!environment['AZURE_API_VERSION']) return DEFAULT_AZURE_VERSION
  need('AZURE_API_VERSION', 'settings.api_version')
  return new Reference('AZURE_API_VERSION')
}

function withSettings(settings: JsonObject): JsonObject {
  return Object.keys(settings).length === 0 ? {} : { settings }
}

function azureAi(input: Input): Part {
  const { model } = input
  const isClaude = model.startsWith('claude')
  const part = plain(input, (text) => {
    const address = text.replace(/\/+$/, '')
    return isClaude ? `${address.replace(/(\/anthropic)?(\/v1(\/messages)?)?$/, '')}/anthropic` : address
  })
  const { base_url: address } = part.definition
  if (isClaude) return { ...part, definition: { ...part.definition, family: 'anthropic' } }
  if (typeof address === 'string' && address.endsWith('/openai/v1')) {
    return { ...part, definition: { ...part.definition, settings: { auth_header: 'api-key' } } }
  }
  throw new Unmapped('model', manual('its address does not end in /openai/v1: add a row with the address that does'))
}

function anthropic(input: Input): Part {
  return plain(input, (text) => text.replace(/\/v1(\/messages)?\/*$/, '').replace(/\/+$/, ''))
}

function ollama(input: Input): Part {
  return plain(input, (text) => `${text.replace(/\/+$/, '').replace(/\/(v1|api)$/, '')}/v1`)
}

function openai(input: Input): Part {
  const { model } = input
  if (!model.startsWith('responses/')) return plain(input)
  const part = plain(input)
  return { ...part, definition: { ...part.definition, speaks: ['responses'] }, model: model.slice('responses/'.length) }
}

function huggingface(input: Input): Part {
  if (/^https?:/.test(input.model))
    throw new Unmapped('model', manual('an endpoint of its own: add a row with its address'))
  const hasVendor = input.model.split('/').length > 2
  const difference = 'the inference provider in its name is sent as a part of the model'
  return { ...plain(input), ...(hasVendor && { difference }) }
}

const OTHER_BEDROCK = /^(agent|agentcore|async_invoke|converse_like|mantle)\//
const BEDROCK_REGION = /^[a-z]{2}(-[a-z]+)+-\d\//

function bedrock({ params, spec, model }: Input): Part {
  if (OTHER_BEDROCK.test(model)) throw new Unmapped('model', unsupported('this API of Bedrock is not called here'))
  if (/embed/.test(model)) throw new Unmapped('model', unsupported('embeddings of Bedrock are not called here'))
  const { values } = params
  const named = /^(converse|invoke|nova)\//.exec(model)?.[1]
  const rest = model.replace(/^(converse|invoke|nova)\//, '')
  const segment = BEDROCK_REGION.exec(rest)?.[0].slice(0, -1)
  const id = segment === undefined ? rest : rest.slice(segment.length + 1)
  const given = takeText(params, 'aws_region_name', 'settings.region')
  const region =
    segment ?? given ?? fromVariables(params, ['AWS_REGION_NAME', 'AWS_REGION'], 'settings.region') ?? 'us-west-2'
  const role_arn = takeText(params, 'aws_role_name', 'settings.role_arn')
  const external_id = role_arn && takeText(params, 'aws_external_id', 'settings.external_id')
  if (isGiven(values['aws_session_name']))
    params.note('aws_session_name', approximate(null, 'sessions are named by the gateway'))
  const endpoint = takeText(params, 'aws_bedrock_runtime_endpoint', 'base_url')
  const credentials = {
    access_key_id: takeSecret(params, 'aws_access_key_id', 'access_key_id'),
    secret_access_key: takeSecret(params, 'aws_secret_access_key', 'secret_access_key'),
    session_token: takeSecret(params, 'aws_session_token', 'session_token'),
  }
  const known = Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== undefined))
  const isSigned = Object.keys(known).length > 0 || role_arn !== undefined
  const key = isSigned ? undefined : takeKey(params, spec)
  const arn = takeText(params, 'model_id', 'model of the entry')
  const isClaude = id.includes('anthropic.claude')
  const other = named === 'converse' && isClaude ? 'invoke' : named === 'invoke' && !isClaude ? 'converse' : null
  return {
    definition: {
      settings: { region, ...(role_arn && { role_arn }), ...(external_id && { external_id }) },
      ...(endpoint && { base_url: endpoint }),
      ...(key && { api_key: key }),
      ...(Object.keys(known).length > 0 && { credentials: known }),
    },
    model: typeof arn === 'string' ? arn : id,
    ...(other && { difference: `called by ${other} instead of ${named}` }),
  }
}

function fromVariables({ environment, need }: Params, names: readonly string[], why: string): Reference | undefined {
  const set = names.find((name) => environment[name])
  if (set === undefined) return undefined
  need(set, why)
  return new Reference(set)
}

const OTHER_VERTEX = /^\d+$|^(imagen|imagegeneration|veo|mistral|codestral|jamba|chirp|text-bison|code-)/

function vertex({ params, model }: Input): Part {
  if (OTHER_VERTEX.test(model))
    throw new Unmapped('model', unsupported('this kind of model is not called on Vertex AI here'))
  const project =
    takeText(params, 'vertex_project', 'settings.project') ??
    takeText(params, 'vertex_ai_project', 'settings.project') ??
    fromVariables(params, ['VERTEXAI_PROJECT'], 'settings.project')
  if (project === undefined) throw new Unmapped('model', manual('vertex_project is missing: set it and import again'))
  const location =
    takeText(params, 'vertex_location', 'settings.location') ??
    takeText(params, 'vertex_ai_location', 'settings.location') ??
    fromVariables(params, ['VERTEXAI_LOCATION'], 'settings.location') ??
    'us-central1'
  const service_account = serviceAccount(params)
  return {
    definition: { settings: { project, location }, ...(service_account && { credentials: { service_account } }) },
    ...(isGiven(params.values['api_base']) && { difference: 'its own address is used, not api_base' }),
  }
}

const FROM_PATH = 'names a file: set this variable to its content before the start'

/** LiteLLM takes the JSON itself, or the path of a file with it; here it is always the JSON. */
function serviceAccount(params: Params): Reference | undefined {
  const { values, environment, note, need } = params
  const key = isGiven(values['vertex_credentials']) ? 'vertex_credentials' : 'vertex_ai_credentials'
  const given = values[key]
  if (!isGiven(given)) {
    if (!environment['GOOGLE_APPLICATION_CREDENTIALS']) return undefined
    need('VERTEX_AI_SERVICE_ACCOUNT', 'the content of the file that GOOGLE_APPLICATION_CREDENTIALS names')
    return new Reference('VERTEX_AI_SERVICE_ACCOUNT')
  }
  if (typeof given !== 'string') return secretReference(params, key, JSON.stringify(given), 'service_account')
  const variable = variableOf(given)
  const current = currentValue(given, environment)
  const isJson = typeof current === 'string' && current.trimStart().startsWith('{')
  if (variable === null && isJson) return secretReference(params, key, given, 'service_account')
  const name = variable !== null && isJson ? variable : 'VERTEX_AI_SERVICE_ACCOUNT'
  need(name, 'the JSON of a service account')
  note(key, isJson ? exact('credentials.service_account') : manual(`${FROM_PATH}: ${name}`))
  return new Reference(name)
}

const VENDORS: Readonly<Record<string, (input: Input) => Part>> = {
  openai,
  azure,
  azure_ai: azureAi,
  anthropic,
  ollama,
  ollama_chat: ollama,
  huggingface,
  bedrock,
  vertex_ai: vertex,
  vertex_ai_beta: vertex,
}

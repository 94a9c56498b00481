import { z } from 'zod'
import { problemText } from '../domain/problem-text.ts'
import type { Operation } from '../management/contract/operation.ts'
import type { AnyInput } from './api-client.ts'
import { type Command, type Given, type OptionSpec, type Refinement, text, texts, usageError } from './command.ts'
import { YES } from './confirm.ts'
import { withIds } from './named.ts'
import { printReply } from './print-reply.ts'
import { readJsonFile } from './read-input.ts'

interface JsonField {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: JsonField[]
  items?: JsonField
  description?: string
  default?: unknown
}

/** An operation as a command: path parameters are arguments, query and plain body fields options, the rest a file. */
export function deriveCommand(operationName: string, operation: Operation, refinement: Refinement): Command {
  const name = refinement.name ?? operationName.replaceAll('.', ' ')
  // A run needs one command of more than a hundred: the schemas of the others are not read.
  let derived: Command | undefined
  const command = () => (derived ??= derive(name, operation, refinement))
  return {
    name,
    summary: operation.summary,
    isRemote: true,
    examples: refinement.examples,
    aliases: refinement.aliases ?? [],
    get positionals() {
      return command().positionals
    },
    get options() {
      return command().options
    },
    run: (given) => command().run(given),
  }
}

function derive(name: string, operation: Operation, refinement: Refinement): Command {
  const query = fieldsOf(operation.query)
  const body = fieldsOf(operation.body)
  const nameIsArgument = operation.method === 'POST' && 'name' in body
  const optionFields = Object.entries(body).filter(([field]) => !(nameIsArgument && field === 'name'))
  const isPage = 'cursor' in query
  const command: Command = {
    name,
    summary: operation.summary,
    isRemote: true,
    examples: refinement.examples,
    positionals: refinement.positionals ?? [
      ...paramNames(operation).map((param) => ({ name: param.toUpperCase() })),
      ...(nameIsArgument ? [{ name: 'NAME' }] : []),
    ],
    options: without(refinement.omit ?? [], {
      ...refinement.options,
      ...Object.fromEntries(
        Object.entries(query).map(([field, schema]) => [
          kebab(field),
          { ...optionOf(schema), ...(field === 'key' ? KEY : {}) },
        ]),
      ),
      ...Object.fromEntries(
        optionFields.flatMap(([field, schema]) => (isPlain(schema) ? [[kebab(field), optionOf(schema)]] : [])),
      ),
      ...(isPage ? { all: { type: 'boolean', help: 'All pages, not only the first' } as const } : {}),
      ...(hasBody(operation) ? { file: FILE } : {}),
      ...(takesVersion(operation) ? { 'if-match': IF_MATCH } : {}),
      ...(refinement.confirm === undefined ? {} : { yes: YES }),
    }),
    async run(given) {
      const input = await inputOf(given)
      const checked = checkInput(command, operation, refinement.refine ? await refinement.refine(given, input) : input)
      const complete = await withIds(operation, checked, given.client)
      if (refinement.confirm !== undefined && !(await refinement.confirm(given, complete))) return 1
      return printReply({ operation, input: complete, given, refinement })
    },
  }

  async function inputOf(given: Given): Promise<AnyInput> {
    const isOwn = refinement.positionals !== undefined
    const params = isOwn
      ? {}
      : Object.fromEntries(paramNames(operation).map((param, index) => [param, given.positionals[index]]))
    const file = text(given, 'file')
    const fromFile = hasBody(operation) && file !== undefined ? await readJsonFile(file) : undefined
    const fields = optionFields.flatMap(([field, schema]) => bodyValue(given, field, schema))
    const named = nameIsArgument && !isOwn ? [['name', given.positionals.at(-1)] as const] : []
    const own = Object.fromEntries([...named, ...fields])
    const isNothing = fromFile === undefined && Object.keys(own).length === 0
    return {
      params,
      query: Object.fromEntries(Object.entries(query).flatMap(([field]) => queryValue(given, field))),
      body: !hasBody(operation) ? undefined : isNothing ? {} : { ...(fromFile as object), ...own },
      ifMatch: text(given, 'if-match'),
    }
  }
  return command
}

function without(names: readonly string[], options: Record<string, OptionSpec>): Record<string, OptionSpec> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)))
}

/** The API takes ids; names are looked up before it is asked. */
const KEY = { placeholder: 'KEY', help: 'The name or the id of a key' }
const FILE: OptionSpec = { type: 'string', short: 'f', placeholder: 'FILE', help: 'The body as JSON; - for stdin' }
const IF_MATCH: OptionSpec = { type: 'string', placeholder: 'ETAG', help: 'Only if the object still has this ETag' }

/** Mistakes are found before anything is sent, with the option's place in the message. */
function checkInput(command: Command, operation: Operation, input: AnyInput): AnyInput {
  for (const [part, schema] of [
    [input.params, operation.params],
    [input.query, operation.query],
    [input.body, operation.body],
  ] as const) {
    const result = (schema as z.ZodType).safeParse(part)
    if (!result.success) throw usageError(command, problemText(result.error))
  }
  return input
}

function bodyValue(given: Given, field: string, schema: JsonField): [string, unknown][] {
  const name = kebab(field)
  if (!isPlain(schema) || given.values[name] === undefined) return []
  const type = typeOf(schema)
  if (type === 'array') return [[field, texts(given, name)]]
  const value = text(given, name) ?? ''
  if (value === 'null' && isNullable(schema)) return [[field, null]]
  if (type === 'integer' || type === 'number') return [[field, Number(value)]]
  if (type === 'boolean') return [[field, value === 'true' ? true : value === 'false' ? false : value]]
  return [[field, value]]
}

function queryValue(given: Given, field: string): [string, string][] {
  const value = text(given, kebab(field))
  return value === undefined ? [] : [[field, value]]
}

function fieldsOf(schema: z.ZodType): Record<string, JsonField> {
  if (schema.type === 'undefined') return {}
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return (json.properties ?? {}) as Record<string, JsonField>
}

function paramNames(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

function hasBody(operation: Operation): boolean {
  return operation.body.type !== 'undefined'
}

function takesVersion(operation: Operation): boolean {
  return (
    operation.hasVersion &&
    (operation.method === 'PUT' || operation.method === 'PATCH' || operation.method === 'DELETE')
  )
}

function typeOf(schema: JsonField): string | undefined {
  const types = [schema.type, ...(schema.anyOf ?? []).map((one) => one.type)].flat()
  return types.find((type) => type !== undefined && type !== 'null')
}

function isNullable(schema: JsonField): boolean {
  return [schema.type, ...(schema.anyOf ?? []).map((one) => one.type)].flat().includes('null')
}

/** Can it be written as one option? An object cannot. */
function isPlain(schema: JsonField): boolean {
  const type = typeOf(schema)
  const items = schema.items ?? schema.anyOf?.find((one) => one.items !== undefined)?.items
  return type === 'array' ? typeOf(items ?? {}) === 'string' : type !== undefined && type !== 'object'
}

function optionOf(schema: JsonField): OptionSpec {
  const values = schema.enum?.filter((value) => typeof value === 'string')
  const help = [schema.description, schema.default === undefined ? undefined : `default: ${schema.default}`]
  return {
    type: 'string',
    placeholder: typeOf(schema) === 'integer' ? 'N' : 'VALUE',
    help: help.filter((part) => part !== undefined).join('; '),
    ...(typeOf(schema) === 'array' && { multiple: true }),
    ...(values !== undefined && values.length > 0 && { values }),
  }
}

function kebab(field: string): string {
  return field.replaceAll('_', '-')
}

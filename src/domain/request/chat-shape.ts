import { z } from 'zod'
import { listOf } from '../list-of.ts'
import { isJsonObject, type JsonObject } from './call-request.ts'

/**
 * The shape of a value, twice: as a schema that explains what is wrong, and as a fast check that only says yes or no.
 * What the check accepts, the schema accepts too (tested); what the check rejects still goes to the schema.
 */
export interface Shape<Schema extends z.ZodType = z.ZodType> {
  schema: Schema
  is(value: unknown): boolean
}

function shape<Schema extends z.ZodType>(schema: Schema, is: Shape['is']): Shape<Schema> {
  return { schema, is }
}

const isText = (value: unknown) => typeof value === 'string'

function hasText(value: unknown, name: string): boolean {
  return isJsonObject(value) && typeof value[name] === 'string'
}

export const text = shape(z.string(), isText)
export const number = shape(z.number(), (value) => typeof value === 'number' && Number.isFinite(value))
export const boolean = shape(z.boolean(), (value) => typeof value === 'boolean')
export const object = shape(z.looseObject({}), isJsonObject)
export const typed = shape(z.looseObject({ type: z.string() }), (value) => hasText(value, 'type'))
export const named = shape(z.looseObject({ name: z.string() }), (value) => hasText(value, 'name'))

export function list<Item extends z.ZodType>(item: Shape<Item>) {
  return shape(listOf(item.schema), (value) => Array.isArray(value) && value.every((each) => item.is(each)))
}

export function either<A extends z.ZodType, B extends z.ZodType>(a: Shape<A>, b: Shape<B>, expected: string) {
  return shape(z.union([a.schema, b.schema], expected), (value) => a.is(value) || b.is(value))
}

type Fields = Record<string, Shape>

/** Fields that may be missing or null; objects are loose, so unknown fields pass through. */
export function fieldSchemas<F extends Fields>(
  fields: F,
): { [Name in keyof F]: z.ZodOptional<z.ZodNullable<F[Name]['schema']>> } {
  const schemas = Object.entries(fields).map(([name, { schema }]) => [name, schema.nullish()])
  return Object.fromEntries(schemas)
}

export function hasFields(value: JsonObject, fields: ReadonlyMap<string, Shape>): boolean {
  for (const name in value) {
    const found = value[name]
    if (found !== null && found !== undefined && fields.get(name)?.is(found) === false) return false
  }
  return true
}

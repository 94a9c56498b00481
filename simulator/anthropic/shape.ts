import { isObject } from '../json.ts'

/** The first thing wrong with the value, in the vendor's words (`path: reason`), or null. */
export type Check = (value: unknown, path: string) => string | null

export const text: Check = (value, path) => expect(typeof value === 'string', path, 'Input should be a valid string')
export const boolean: Check = (value, path) =>
  expect(typeof value === 'boolean', path, 'Input should be a valid boolean')
export const integer: Check = (value, path) => expect(Number.isInteger(value), path, 'Input should be a valid integer')
/** An object whose content belongs to the caller. */
export const anyObject: Check = (value, path) => expect(isObject(value), path, 'Input should be a valid dictionary')

export function numberBetween(minimum: number, maximum: number): Check {
  return (value, path) => {
    if (typeof value !== 'number') return `${path}: Input should be a valid number`
    return expect(value >= minimum && value <= maximum, path, `range: ${minimum}..${maximum}`)
  }
}

export function atLeast(minimum: number): Check {
  return (value, path) =>
    integer(value, path) ??
    expect((value as number) >= minimum, path, `Input should be greater than or equal to ${minimum}`)
}

export function literal(...values: readonly string[]): Check {
  const expected = values.map((value) => `'${value}'`).join(' or ')
  return (value, path) => expect(values.includes(value as string), path, `Input should be ${expected}`)
}

export function matching(pattern: RegExp): Check {
  return (value, path) =>
    text(value, path) ?? expect(pattern.test(value as string), path, `String should match pattern '${pattern.source}'`)
}

/** The vendor refuses every key it does not know, at every depth, and null where a value is expected. */
export function object(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return (value, path) => {
    if (!isObject(value)) return `${path}: Input should be a valid dictionary`
    for (const name of Object.keys(required)) {
      if (!(name in value)) return `${join(path, name)}: Field required`
    }
    for (const [name, child] of Object.entries(value)) {
      const check = ownCheck(required, name) ?? ownCheck(optional, name)
      const problem = check ? check(child, join(path, name)) : `${join(path, name)}: Extra inputs are not permitted`
      if (problem) return problem
    }
    return null
  }
}

/** Takes keys that it does not know. */
export function openObject(required: Record<string, Check>): Check {
  const known = object(required)
  return (value, path) =>
    isObject(value)
      ? known(Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(required, name))), path)
      : known(value, path)
}

export function arrayOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path}: Input should be a valid list`
    for (const [index, child] of value.entries()) {
      const problem = check(child, `${path}.${index}`)
      if (problem) return problem
    }
    return null
  }
}

/** A union by `type`, which the vendor then names in the path. */
export function tagged(variants: Record<string, Check>, standard?: string): Check {
  const expected = Object.keys(variants)
    .map((name) => `'${name}'`)
    .join(', ')
  return (value, path) => {
    if (!isObject(value)) return `${path}: Input should be a valid dictionary`
    const tag = value['type'] ?? standard
    if (tag === undefined) return `${path}.type: Field required`
    const check = typeof tag === 'string' ? ownCheck(variants, tag) : undefined
    if (check) return check(value, `${path}.${tag}`)
    return `${path}: Input tag '${tag}' found using 'type' does not match any of the expected tags: ${expected}`
  }
}

export function textOr(check: Check): Check {
  return (value, path) => (typeof value === 'string' ? null : check(value, path))
}

export function all(...checks: readonly Check[]): Check {
  return (value, path) => {
    for (const check of checks) {
      const problem = check(value, path)
      if (problem) return problem
    }
    return null
  }
}

function ownCheck(checks: Record<string, Check>, name: string): Check | undefined {
  return Object.hasOwn(checks, name) ? checks[name] : undefined
}

function expect(holds: boolean, path: string, reason: string): string | null {
  return holds ? null : `${path}: ${reason}`
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

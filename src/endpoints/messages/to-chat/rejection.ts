import type { Bridged } from '../../../domain/request/bridge.ts'

type NoChat = Exclude<Bridged, { kind: 'chat' }>

/** Ends a translation from any depth. Thrown and caught only within this folder: `toChat` returns its value. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly outcome: NoChat

  constructor(outcome: NoChat) {
    super(outcome.message)
    this.outcome = outcome
  }
}

/** Chat cannot express the field; an entry that speaks this format may. */
export function refuse(message: string): never {
  throw new Rejection({ kind: 'refused', code: 'unsupported_parameter', message })
}

/** No provider could serve this. */
export function mistake(message: string): never {
  throw new Rejection({ kind: 'invalid', message })
}

export function requiredText(value: unknown, path: string): string {
  return typeof value === 'string' ? value : mistake(`${path}: expected a string`)
}

/** A caller's value for a message: quoted and of limited length. */
export function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 100)}'` : typeof value
}

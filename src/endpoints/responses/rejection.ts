import type { Bridged } from '../../domain/request/bridge.ts'

type NotBridged = Exclude<Bridged, { kind: 'chat' }>

/** Ends a translation from any depth. Thrown and caught only within this folder: `toChat` returns its value. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly bridged: NotBridged

  constructor(bridged: NotBridged) {
    super(bridged.message)
    this.bridged = bridged
  }
}

/** Only an entry that speaks this format can serve it. The message names the field and the way out. */
export function refuse(message: string): never {
  throw new Rejection({ kind: 'refused', code: 'unsupported_parameter', message })
}

/** No entry could serve this. */
export function mistake(message: string): never {
  throw new Rejection({ kind: 'invalid', message })
}

/** A caller's word in a message: never endless. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return `'${text.length > 60 ? `${text.slice(0, 59)}…` : text}'`
}

export function requiredText(value: unknown, path: string): string {
  return typeof value === 'string' ? value : mistake(`${path}: expected a string`)
}

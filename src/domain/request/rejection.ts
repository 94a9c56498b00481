import { type Worded, worded } from '../wording/worded.ts'

/** Why a request cannot be translated. */
export type Rejected =
  /** This entry cannot express a field; another one may. The message names the field and the way out. */
  | { kind: 'refused'; code: 'unsupported_parameter' | 'invalid_request' | 'length_unknown'; message: Worded }
  /** The caller's mistake: no entry could serve it. */
  | { kind: 'invalid'; message: Worded }

/** Ends a translation from any depth. The translation catches it and returns its value. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly rejected: Rejected

  constructor(rejected: Rejected) {
    super(rejected.message.text)
    this.rejected = rejected
  }
}

/** The field cannot be expressed here; another entry of the chain may. */
export function refuse(message: Worded): never {
  throw new Rejection({ kind: 'refused', code: 'unsupported_parameter', message })
}

/** Two fields conflict here, although another family may accept them. */
export function refuseConflict(message: Worded): never {
  throw new Rejection({ kind: 'refused', code: 'invalid_request', message })
}

/** No provider could serve this. */
export function mistake(message: Worded): never {
  throw new Rejection({ kind: 'invalid', message })
}

export function requiredText(value: unknown, path: string): string {
  return typeof value === 'string' ? value : mistake(worded`${path}: expected a string`)
}

/** A caller's value in a message: quoted and of limited length. */
export function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 100)}'` : typeof value
}

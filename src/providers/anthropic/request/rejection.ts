import type { Translation } from '../../family.ts'

type NoTranslation = Exclude<Translation, { kind: 'wire' }>

/** Ends a translation from any depth. Thrown and caught only within this folder: `toWire` returns its value. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly translation: NoTranslation

  constructor(translation: NoTranslation) {
    super(translation.message)
    this.translation = translation
  }
}

/** This family cannot express the field; another entry of the chain may. */
export function refuse(message: string): never {
  throw new Rejection({ kind: 'refused', code: 'unsupported_parameter', message })
}

/** Two fields conflict here, although another family may accept them. */
export function refuseConflict(message: string): never {
  throw new Rejection({ kind: 'refused', code: 'invalid_request', message })
}

/** No provider could serve this. */
export function mistake(message: string): never {
  throw new Rejection({ kind: 'invalid', message })
}

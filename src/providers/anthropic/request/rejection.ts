import type { Translation } from '../../family.ts'

type NoTranslation = Exclude<Translation, { kind: 'wire' }>

/** Leaves a translation from any depth. Thrown and caught only within this folder: `toWire` returns its value. */
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

/** Two fields contradict each other here, though another family may take them. */
export function refuseConflict(message: string): never {
  throw new Rejection({ kind: 'refused', code: 'invalid_request', message })
}

/** No provider could serve this. */
export function mistake(message: string): never {
  throw new Rejection({ kind: 'invalid', message })
}

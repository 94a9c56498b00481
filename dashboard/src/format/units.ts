import {
  ANY,
  isInPlaceOfTokens,
  isTimed,
  millisecondsOf,
  UNITS,
  type Unit,
} from '../../../src/domain/pricing/unit-prices.ts'

export { isInPlaceOfTokens, isTimed, UNITS, type Unit }

export function isTime(unit: Unit): boolean {
  return millisecondsOf(unit) !== null
}

/** One of it: `audio_minute` is a minute of audio. */
export function unitName(unit: string): string {
  const words = unit.replaceAll('_', ' ')
  return unit.startsWith('audio_') ? `${words.slice(6)} of audio` : words
}

/** What was used: `image:1024x1024:any` is an image of 1024x1024. */
export function nameOfUse(name: string): string {
  const [head = '', ...parts] = name.split(':')
  const words = head.charAt(0).toUpperCase() + head.slice(1).replaceAll('_', ' ')
  return [words, ...parts.filter((part) => part !== ANY)].join(', ')
}

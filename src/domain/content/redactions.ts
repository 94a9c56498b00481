import { SecretFinder } from './find-secrets.ts'
import type { Redaction } from './settings.ts'

/** Something that must not be stored. */
export interface Rule {
  name: string
  /** Replaces every match with what `mark` returns. */
  replace(text: string, mark: () => string): string
}

/** Every repetition has a small bound, so that no text takes long: the patterns are run by a backtracking engine. */
const PATTERNS: Record<Exclude<Redaction, 'secret' | 'email'>, RegExp> = {
  card: /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g,
  phone: /(?:\+|\b00)[1-9][\d ().-]{6,18}\d/g,
  ip: /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-fA-F]{1,4}:){3,7}(?::|[0-9a-fA-F]{1,4}\b)/g,
}

/** Digits alone are no card: order numbers stay readable. */
const CHECKS: Partial<Record<Redaction, (match: string) => boolean>> = { card: isCardNumber, iban: isIban }

export function builtinRule(name: Redaction): Rule {
  if (name === 'secret') return { name, replace: (text, mark) => new SecretFinder(text).replace(mark) }
  if (name === 'email') return { name, replace: withoutAddresses }
  const pattern = PATTERNS[name]
  const check = CHECKS[name]
  return {
    name,
    replace: (text, mark) => text.replace(pattern, (match) => (check === undefined || check(match) ? mark() : match)),
  }
}

const AT_DOMAIN = /@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g
const LOCAL = /[A-Za-z0-9._%+-]/
const LONGEST_LOCAL = 64

/** From the `@` back: forward, every character might begin an address. */
function withoutAddresses(text: string, mark: () => string): string {
  let [left, done] = ['', 0]
  for (const { 0: domain, index } of text.matchAll(AT_DOMAIN)) {
    const least = Math.max(done, index - LONGEST_LOCAL)
    let from = index
    while (from > least && LOCAL.test(text.charAt(from - 1))) from -= 1
    if (from === index) continue
    left += text.slice(done, from) + mark()
    done = index + domain.length
  }
  return left + text.slice(done)
}

/** By its check digit (ISO/IEC 7812). */
function isCardNumber(match: string): boolean {
  const digits = match.replace(/\D/g, '')
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 1 ? 2 * digit : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** By its check digits (ISO 13616). */
function isIban(match: string): boolean {
  const plain = match.replaceAll(' ', '')
  const moved = plain.slice(4) + plain.slice(0, 4)
  let rest = 0
  for (const character of moved) rest = Number(`${rest}${Number.parseInt(character, 36)}`) % 97
  return rest === 1
}

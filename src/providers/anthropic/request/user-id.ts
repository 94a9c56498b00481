import { createHash } from 'node:crypto'

const MAX_LENGTH = 256
const LOOKS_LIKE_EMAIL = /\S@\S/
const LOOKS_LIKE_PHONE = /^(?:tel:)?[+\d\s().-]{7,24}$/i

/** The API rejects a `metadata.user_id` that looks like an e-mail address or a phone number. */
export function opaqueUserId(user: string): string {
  const isOpaque = user.length <= MAX_LENGTH && !LOOKS_LIKE_EMAIL.test(user) && !looksLikePhone(user)
  return isOpaque ? user : createHash('sha256').update(user).digest('hex')
}

function looksLikePhone(user: string): boolean {
  return LOOKS_LIKE_PHONE.test(user) && user.replace(/\D/g, '').length >= 7
}

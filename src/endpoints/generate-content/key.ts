import { bearerOr, unusedKeyIn } from '../bearer-or-api-key.ts'

/** Of official clients. A key in the query of the address comes as this header, too (calls/model-path). */
export const KEY_HEADER = 'x-goog-api-key'

export const anyKey = bearerOr(KEY_HEADER)
export const unusedKey = unusedKeyIn(KEY_HEADER)

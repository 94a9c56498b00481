import { type Attribution, cleanTags } from '../../domain/attribution.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { namesInHeaders } from '../../endpoints/call-names.ts'
import type { Deps } from '../deps.ts'
import type { Received } from '../stages.ts'
import { asHolder } from './as-holder.ts'
import { attributedTo } from './attributed-to.ts'

/**
 * Who a call is for, as its headers and its body say. What a verified token says goes before `given`, the tags of the
 * operator, and those before the caller's; of them all no more than a caller may send.
 */
export function attributionOfCall(
  { receiver, body, key, snapshot }: Pick<Received, 'receiver' | 'body' | 'key' | 'snapshot'>,
  { roots }: Pick<Deps, 'roots'>,
  given: JsonObject | null = null,
): Attribution {
  const names = namesInHeaders(receiver, roots, key.id)
  const inBody = body.attribution
  const all = given === null ? inBody : { ...inBody, tags: cleanTags({ ...given, ...inBody.tags, ...given }) }
  const said = attributedTo(names, all, snapshot)
  return key.holder === undefined ? said : asHolder(said, key.holder)
}

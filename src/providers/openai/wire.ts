import { z } from 'zod'
import { listOf } from '../../domain/list-of.ts'

/** Only what is read; everything else passes through unread. */
export const ModelList = z.looseObject({
  data: listOf(z.looseObject({ id: z.string().min(1), created: z.number().nullish() })),
})

export const ErrorObject = z.looseObject({
  message: z.string().nullish(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  param: z.string().nullish().catch(null),
  innererror: z.looseObject({ code: z.string().nullish() }).nullish().catch(null),
  metadata: z.looseObject({ flagged_input: z.string().nullish() }).nullish().catch(null),
})

/** Of servers that put nothing around it. */
export const BareError = ErrorObject.extend({ message: z.string() })

export const ErrorEnvelope = z.looseObject({ error: z.union([ErrorObject, z.string()]) })

const Problem = z.looseObject({
  loc: z.array(z.union([z.string(), z.number()])).min(1),
  msg: z.string(),
  type: z.string(),
})
const Problems = z.object({ detail: z.tuple([Problem], z.unknown()) })

/** The problems of a body, as some compatible servers list them, with or without an envelope. */
export const ValidationErrors = z.union([Problems, z.object({ message: Problems })])

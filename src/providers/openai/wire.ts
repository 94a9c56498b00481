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
})

export const ErrorEnvelope = z.looseObject({ error: z.union([ErrorObject, z.string()]) })

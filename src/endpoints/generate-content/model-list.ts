import { z } from 'zod'

/** A model as clients of this format list it. */
export const ListedModel = z.object({
  name: z.string().describe('`models/` and the alias or model.'),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.int().optional().describe('Of its first entry, where it is known.'),
  outputTokenLimit: z.int().optional(),
  supportedGenerationMethods: z.array(z.string()),
})

export const ModelList = z.object({ models: z.array(ListedModel), nextPageToken: z.string().optional() })

export type PathModel = z.infer<typeof ListedModel>

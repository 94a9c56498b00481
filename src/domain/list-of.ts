import { z } from 'zod'

/**
 * Like `z.array`, but the first bad item ends it. One complaint is all we tell, and a body of millions of bad items
 * must not fill the memory with one for each.
 */
export function listOf<T extends z.ZodType>(item: T) {
  return z.custom<unknown[]>(Array.isArray, 'expected an array').transform((values, context): z.output<T>[] => {
    const list: z.output<T>[] = []
    for (const [index, value] of values.entries()) {
      const parsed = item.safeParse(value)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        context.addIssue({
          code: 'custom',
          message: issue?.message ?? 'not valid',
          path: [index, ...(issue?.path ?? [])],
        })
        return z.NEVER
      }
      list.push(parsed.data)
    }
    return list
  })
}

import { z } from 'zod'

const ITEMS = new WeakMap<object, z.ZodType>()

/** The type of the items of such a list; undefined for any other type. Code that describes types needs it. */
export function itemOf(type: object): z.ZodType | undefined {
  return ITEMS.get(type)
}

/**
 * Like `z.array`, but stops at the first bad item. We report one problem only, and a body of millions of bad items must
 * not fill the memory with one issue each.
 */
export function listOf<T extends z.ZodType>(item: T) {
  const list = z.custom<unknown[]>(Array.isArray, 'expected an array')
  ITEMS.set(list, item)
  return list.transform((values, context): z.output<T>[] => {
    const items: z.output<T>[] = []
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
      items.push(parsed.data)
    }
    return items
  })
}

import type { Begun } from './stages.ts'

/** Nothing of what the call says may be stored or traced. */
export function hidesContent({ aspects }: Pick<Begun, 'aspects'>): boolean {
  return aspects.some((aspect) => aspect.hidesContent === true)
}

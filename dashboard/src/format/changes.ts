import { changeWords } from '../../../src/domain/changes/change-words.ts'
import { restorableSettings } from '../../../src/domain/changes/restorable.ts'

/** The words of the command line for a change: both say the same. */
export { changeWords, restorableSettings }

interface Change {
  resource: string
  before: unknown
  after: unknown
}

/** Both versions are there, and differ in something that can be set. */
export function canUndo({ resource, before, after }: Change): boolean {
  const [from, to] = [restorableSettings(resource, after), restorableSettings(resource, before)]
  return from !== null && to !== null && changeWords(from, to).length > 0
}

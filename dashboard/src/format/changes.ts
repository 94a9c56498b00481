import { changeWords } from '../../../src/domain/changes/change-words.ts'
import { restorableSettings } from '../../../src/domain/changes/restorable.ts'

/** The words of the command line for a change: both say the same. */
export { changeWords, restorableSettings }

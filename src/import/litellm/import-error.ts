/** What was given cannot be read at all: nothing is mapped. The message names file, line and column where there is one. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

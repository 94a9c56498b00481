/** Ends the command with one line on standard error. 1: it failed; 2: it was called wrongly or its input is wrong. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2) {
    super(message)
    this.exitCode = exitCode
  }
}

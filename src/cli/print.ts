/** Returns the exit code of a command that has nothing else to do. */
export function print(content: string): number {
  process.stdout.write(content.endsWith('\n') ? content : `${content}\n`)
  return 0
}

import { HISTORY_DAYS } from './history.ts'

/** Without a terminal, one line after this many days. */
const LINE_DAYS = 10

interface Output {
  note(text: string): void
  progress(text: string | null): void
}

/** Shows the progress of the demo's past. */
export function sayDays(output: Output, isTerminal: boolean): (day: number) => void {
  let said = -1
  return (day) => {
    if (day === said || (!isTerminal && day % LINE_DAYS !== 0)) return
    said = day
    const text = `  Preparing ${HISTORY_DAYS} days of history: day ${day}`
    if (!isTerminal) output.note(text)
    else output.progress(day < HISTORY_DAYS ? text : null)
  }
}

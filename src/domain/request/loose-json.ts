/** What should be JSON; the text itself where it is not: a proxy in between may send anything. */
export function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

import { useEffect, useState } from 'react'
import { type ConfigText, readConfigText } from './config-text.ts'

export interface ReadText {
  /** Null while there is nothing, or nothing readable. */
  config: ConfigText | null
  problem: string | null
}

const NOTHING: ReadText = { config: null, problem: null }

/** Reads YAML or JSON as it is typed. The parser is fetched when there is something to parse. */
export function useConfigText(text: string): ReadText {
  const [read, setRead] = useState(NOTHING)
  useEffect(() => {
    let isCurrent = true
    async function readText() {
      if (text.trim() === '') return NOTHING
      const { parse } = await import('yaml')
      try {
        return { config: readConfigText(text, parse), problem: null }
      } catch (error) {
        return { config: null, problem: error instanceof Error ? error.message : 'This isn’t valid YAML.' }
      }
    }
    void readText().then((result) => {
      if (isCurrent) setRead(result)
    })
    return () => {
      isCurrent = false
    }
  }, [text])
  return read
}

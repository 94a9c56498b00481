import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, call, type Reply } from './client.ts'

export type Verification = Reply<'verify.ledger'>

/** Counters and rows, page after page; `checked` says how many rows it has come to. */
export function useVerification(): UseMutationResult<Verification, ApiError, void> & { checked: number } {
  const [checked, setChecked] = useState(0)
  const verification = useMutation<Verification, ApiError, void>({
    async mutationFn() {
      let all: Verification | null = null
      let cursor: string | null = null
      do {
        const page: Verification = (await call('verify.ledger', { query: cursor === null ? {} : { cursor } })).value
        all = all === null ? page : merged(all, page)
        setChecked(all.rows.checked)
        cursor = page.next_cursor
      } while (cursor !== null)
      return all
    },
  })
  return { ...verification, checked }
}

function merged(earlier: Verification, { rows, next_cursor }: Verification): Verification {
  return {
    ...earlier,
    next_cursor,
    rows: {
      checked: earlier.rows.checked + rows.checked,
      unpriced: earlier.rows.unpriced + rows.unpriced,
      hours: earlier.rows.hours + rows.hours,
      differences: [...earlier.rows.differences, ...rows.differences],
    },
  }
}

import { Alert, Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { ApiError } from '../api/client.ts'
import { problemElsewhere } from '../api/problem.ts'

export interface FormErrorProps {
  error: ApiError | null
  /** Those that show what the gateway says of them themselves. */
  fields: readonly string[]
  /** Reads the newer state that another person saved. */
  onReload?: () => void
}

/** Why a form was refused, unless a field says it. The focus goes to where it is said, and so does the view. */
export function FormError({ error, fields, onReload }: FormErrorProps) {
  const problem = problemElsewhere(error, fields)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error === null) return
    const atField = place.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const target = problem === null ? atField : place.current
    target?.focus()
  }, [error, problem])
  const isStale = error?.status === 412
  return (
    // Below the sticky head of a dialog.
    <div ref={place} tabIndex={-1} style={{ outline: 'none', scrollMarginTop: '6rem' }} hidden={problem === null}>
      {problem !== null && (
        <Alert
          color={isStale ? 'yellow' : 'red'}
          variant="light"
          role="alert"
          icon={<CircleAlert size={18} aria-hidden />}
        >
          {isStale ? 'Someone else changed this while you were editing. Your changes are not saved.' : problem}
          {isStale && onReload !== undefined && (
            <Button variant="default" size="xs" mt="xs" display="block" onClick={onReload}>
              Load the newer version
            </Button>
          )}
        </Alert>
      )}
    </div>
  )
}

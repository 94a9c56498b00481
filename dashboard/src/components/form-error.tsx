import { Alert, Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { ApiError } from '../api/client.ts'
import { problemElsewhere } from '../api/problem.ts'

export interface FormErrorProps {
  error: ApiError | null
  /** Those that show what the gateway says of them themselves. */
  fields: readonly string[]
  /** Reads the newer state that another person saved. */
  onReload?: () => void
}

/** Why a form was rejected, unless a field already shows it. */
export function FormError({ error, fields, onReload }: FormErrorProps) {
  const problem = problemElsewhere(error, fields)
  if (problem === null) return null
  const isStale = error?.status === 412
  return (
    <Alert color={isStale ? 'yellow' : 'red'} variant="light" role="alert" icon={<CircleAlert size={18} aria-hidden />}>
      {isStale ? 'Someone else changed this while you were editing. Your changes are not saved.' : problem}
      {isStale && onReload !== undefined && (
        <Button variant="default" size="xs" mt="xs" display="block" onClick={onReload}>
          Load the newer version
        </Button>
      )}
    </Alert>
  )
}

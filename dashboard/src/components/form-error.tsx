import { Alert, Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { ApiError } from '../api/client.ts'
import { problemElsewhere } from '../api/problem.ts'

export interface FormErrorProps {
  error: ApiError | null
  /** Those that show what the gateway says of them themselves. */
  fields: readonly string[]
  /** Reads what somebody else has made of it in the meantime. */
  onReload?: () => void
}

/** Why a form was not taken, unless it already stands at a field. */
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

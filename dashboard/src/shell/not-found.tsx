import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { EmptyState } from '../components/states.tsx'
import { usePath } from './place.ts'

export function NotFound() {
  const path = usePath()
  return (
    <EmptyState title="There is no such page">
      <Anchor component={Link} href={path('overview')}>
        Go to the overview
      </Anchor>
    </EmptyState>
  )
}

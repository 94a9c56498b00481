import { Anchor } from '@mantine/core'
import { Compass } from 'lucide-react'
import { Link } from 'wouter'
import { Page } from '../components/page.tsx'
import { EmptyState } from '../components/states.tsx'
import { usePath } from './place.ts'

export function NotFound() {
  const path = usePath()
  return (
    <Page title="Page not found">
      <EmptyState title="There is no such page" icon={Compass}>
        <Anchor component={Link} href={path('overview')} underline="always">
          Go to the overview
        </Anchor>
      </EmptyState>
    </Page>
  )
}

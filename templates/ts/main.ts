#!/usr/bin/env node
// What a host starts. The first that the host says tells which dialect it speaks.
import { serve } from 'pluglot/sdk';
import { plugin } from './plugin.js';

serve(plugin);

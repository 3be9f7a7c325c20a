// What a model is told of plans.

export const instructions = `# Plans

Make a plan only when the user asks for one. Otherwise just do the task.

1. createPlan: a title and concrete steps that you can really do with the tools you have. Where a step uses a tool, name the tool and what it is called with, so that the user sees what will happen.
2. startPlan: asks the user. Until they agree, use no other tools but those you need to compose the plan.
3. updateStep: in_progress when you begin a step, then completed, failed or skipped. addStep when something is missing.
4. completePlan: completed when every step is finished; failed or cancelled otherwise.

Be honest about steps. completed means fully done, with the outcome that was meant. failed means that its goal was not reached, for whatever reason: an error, a limit, a part only. skipped means that it was not needed. A failure that is told is worth more than a success that is not one.

What a step finds or makes belongs into your answer to the user: the state of a plan is no substitute for results.

When the user refuses startPlan, call completePlan with status "cancelled", do not propose the plan again, and ask how they want to go on.`;

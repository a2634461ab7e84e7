/** How a step runs in a pass. */
import type { AnyDoReq, Unit } from "./unit.ts";
import { type Course, RUN, supervisorOf } from "./supervision.ts";

/** Returns how the step runs in this pass: its supervisor decides, if it has one. */
export function courseOf({ dependent, pass, req, context }: Unit<AnyDoReq>): Course {
  const supervisor = supervisorOf(pass.handler, dependent.name);
  if (supervisor === undefined) return RUN;
  const course = supervisor.courseOf(req, dependent.name);
  pass.found.courses.set(dependent.name, course);
  if (course.type === "run") context.memory.unit(context.unit).changeCourse(course.id);
  return course;
}

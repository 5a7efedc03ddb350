"""Settings of nbgrader for this course; run its commands in the folder of this file."""

c = get_config()  # noqa: F821  nbgrader defines it

c.CourseDirectory.course_id = "infonce"

# What a student finds where the instructor's notebook has a solution: the same as in the student edition.
c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Replace this line by your answer, then run this cell and its checks.")'
}
c.ClearSolutions.text_stub = "*Write your answer here.*"

# A chapter may take 20 seconds on a laptop; an answer that never ends must not take for ever.
c.ExecutePreprocessor.timeout = 120
